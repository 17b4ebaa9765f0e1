"""The order of repetitions: complete blocks, random by the seed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from patina.trial.order import planned
from patina.trial.settings import TrialSettings
from patina_dev.testing.property import property_cases

KINDS = ("grep", "find", "du", "rm", "postmark")


def trial_of(arms_count: int, workloads_count: int, repetitions_count: int) -> TrialSettings:
    return TrialSettings.model_validate(
        {
            "arms": [{"image_id": number + 1} for number in range(arms_count)],
            "workloads": [{"kind": kind} for kind in KINDS[:workloads_count]],
            "repetitions_count": repetitions_count,
        }
    )


@settings(max_examples=property_cases(30))
@given(st.integers(1, 8), st.integers(1, 5), st.integers(3, 12), st.integers(0, 2**53 - 1))
def test_each_block_has_every_pair_once(arms: int, workloads: int, repetitions: int, seed: int) -> None:
    order = planned(trial_of(arms, workloads, repetitions), seed=seed)
    pairs = {(arm, workload) for arm in range(arms) for workload in range(workloads)}
    assert len(order) == len(pairs) * repetitions
    for number in range(1, repetitions + 1):
        block = order[(number - 1) * len(pairs) : number * len(pairs)]
        assert {each.number for each in block} == {number}
        assert {(each.arm, each.workload) for each in block} == pairs


def test_the_same_seed_gives_the_same_order() -> None:
    trial = trial_of(4, 5, 6)
    assert planned(trial, seed=7) == planned(trial, seed=7)


def test_different_seeds_and_blocks_have_different_orders() -> None:
    trial = trial_of(4, 5, 6)
    orders = [planned(trial, seed=seed) for seed in range(5)]
    assert all(one != other for index, one in enumerate(orders) for other in orders[:index])
    blocks = [[(each.arm, each.workload) for each in orders[0] if each.number == number] for number in range(1, 7)]
    assert all(one != other for index, one in enumerate(blocks) for other in blocks[:index])
