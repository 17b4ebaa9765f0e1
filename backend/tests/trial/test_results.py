"""Results of a trial, from the repetitions that were measured."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from patina.db import transaction
from patina.trial.models import Repetition, RepetitionState
from patina.trial.statistics import interval_of, outliers_of, ratio_of
from trial_rows import make_image, measured, trial_body

Factory = Callable[..., int]
ARMS = ("ext4", "unaged"), ("ext4", "old"), ("xfs", "new"), ("xfs", "old"), ("btrfs", "old")


@pytest.fixture
def trial_id(client: TestClient, make_device: Factory, publish_image: Factory) -> int:
    """Returns a trial of ext4 and xfs, each with a base, and of btrfs without one; of find and fio."""
    image_id = make_image(publish_image)
    arms = [{"image_id": image_id, "group": group, "state": state, "is_base": state != "old"} for group, state in ARMS]
    workloads = [{"kind": "find"}, {"kind": "fio", "job": "[read]\nrw=read"}]
    body = trial_body(make_device(), arms=arms, workloads=workloads, repetitions_count=6)
    identity: int = client.post("/api/v1/trials", json=body).json()["id"]
    return identity


def read(client: TestClient, trial_id: int) -> tuple[dict[tuple[int, int], Any], list[dict[str, Any]]]:
    trial = client.get(f"/api/v1/trials/{trial_id}").json()
    return {(figure["arm"], figure["workload"]): figure for figure in trial["figures"]}, trial["rank_changes"]


def test_a_figure_has_the_estimate_of_its_values(client: TestClient, trial_id: int) -> None:
    values = [10.0, 11.0, 9.0, 10.5, 50.0]
    measured(trial_id, 1, 0, values, amplification=1.25)
    measured(trial_id, 0, 0, [3.0], is_quiet=False)
    figures, changes = read(client, trial_id)
    assert (set(figures), changes) == ({(0, 0), (1, 0)}, [])
    figure, expected = figures[1, 0], interval_of(values)
    assert figure["values"] == values
    assert figure["outliers"] == outliers_of(values) == [4]
    assert figure["estimate"] == vars(expected)
    assert figure["write_amplification"] == vars(interval_of([1.25] * 5))
    assert figure["disturbed_count"] == 0
    alone = figures[0, 0]
    assert (alone["disturbed_count"], alone["write_amplification"]) == (1, None)
    assert (alone["estimate"]["mean"], alone["estimate"]["low"]) == (3.0, None)


def test_a_figure_has_the_predicted_times_of_its_repetitions_beside_those_that_they_took(
    client: TestClient, trial_id: int
) -> None:
    measured(trial_id, 0, 0, [1.0, 1.5], predicted_s=4320.0)
    measured(trial_id, 1, 0, [1.0])
    figures, _ = read(client, trial_id)
    assert figures[0, 0]["prediction"] == {
        "elapsed_s": vars(interval_of([41.0, 41.0])),
        "predicted_s": vars(interval_of([4320.0, 4320.0])),
    }
    assert figures[1, 0]["prediction"] is None


def test_an_arm_is_compared_with_the_base_of_its_group(client: TestClient, trial_id: int) -> None:
    measured(trial_id, 0, 0, [1.0, 1.1, 1.2])
    measured(trial_id, 1, 0, [2.0, 2.2, 2.1])
    measured(trial_id, 3, 0, [2.0, 2.2, 2.1])
    measured(trial_id, 4, 0, [2.0, 2.2, 2.1])
    figures, _ = read(client, trial_id)
    expected = ratio_of(interval_of([2.0, 2.2, 2.1]), interval_of([1.0, 1.1, 1.2]))
    assert expected is not None
    assert figures[1, 0]["ratio"] == pytest.approx(vars(expected))
    assert figures[0, 0]["ratio"] is None  # the base
    assert figures[3, 0]["ratio"] is None  # its base has no value yet
    assert figures[4, 0]["ratio"] is None  # its group has no base


def test_groups_are_ranked_in_each_state_by_what_is_better(client: TestClient, trial_id: int) -> None:
    for workload in (0, 1):
        for arm, value in enumerate([1.0, 5.0, 2.0, 4.0, 3.0]):
            measured(trial_id, arm, workload, [value])
    figures, _ = read(client, trial_id)
    ranks = [[figures[arm, workload]["rank"] for arm in range(5)] for workload in (0, 1)]
    # Bases are compared as one state, with any names. Of seconds less is better, of bytes a second more.
    assert ranks == [[1, 3, 2, 2, 1], [2, 1, 1, 2, 3]]


def test_a_group_alone_in_its_state_has_no_rank(client: TestClient, trial_id: int) -> None:
    measured(trial_id, 0, 0, [1.0, 1.0])
    measured(trial_id, 1, 0, [1.0, 1.0])
    figures, _ = read(client, trial_id)
    assert [figures[arm, 0]["rank"] for arm in (0, 1)] == [None, None]


def test_an_order_that_aging_reverses_is_a_rank_change(client: TestClient, trial_id: int) -> None:
    for workload, after in ((0, [9.0, 9.1, 9.2]), (1, [3.0, 3.1, 3.2])):
        measured(trial_id, 0, workload, [1.0, 1.1, 1.2])
        measured(trial_id, 2, workload, [2.0, 2.1, 2.2])
        measured(trial_id, 1, workload, after)
        measured(trial_id, 3, workload, [6.0, 6.1, 6.2])
        measured(trial_id, 4, workload, [1.0, 1.1, 1.2])
    _, changes = read(client, trial_id)
    assert changes == [{"workload": 0, "state": "old", "first": "ext4", "second": "xfs"}]


def test_repetitions_that_were_not_measured_are_left_out(client: TestClient, trial_id: int) -> None:
    measured(trial_id, 0, 0, [1.0, 2.0, 3.0])
    with transaction() as session:
        of_arm = select(Repetition).where(Repetition.trial_id == trial_id, Repetition.arm == 1)
        for number, row in enumerate(session.scalars(of_arm)):
            row.state = RepetitionState.FAILED if number % 2 else RepetitionState.SKIPPED
            row.error_code, row.error_message = "workload_failed", "fio failed."
    figures, _ = read(client, trial_id)
    assert figures.keys() == {(0, 0)}
    trial = client.get(f"/api/v1/trials/{trial_id}").json()
    states = [row["state"] for row in trial["repetitions"]]
    assert [states.count(state) for state in ("done", "failed", "skipped", "planned")] == [3, 6, 6, 45]
    assert client.get("/api/v1/trials").json()["items"][0]["done_count"] == 15
