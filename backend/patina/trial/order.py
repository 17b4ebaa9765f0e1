"""The order of a trial's repetitions: random, by its seed."""

import random
from dataclasses import dataclass

from patina.trial.settings import TrialSettings


@dataclass(frozen=True)
class Planned:
    """A repetition, in the order of execution."""

    arm: int
    workload: int
    number: int


def planned(settings: TrialSettings, *, seed: int) -> list[Planned]:
    """Returns all repetitions. Randomised complete blocks (Montgomery, Design and Analysis of Experiments, chapter 4):
    the first repetition of all pairs in random order, then the second, so that a drift of the machine spreads over all.
    """
    order = random.Random(seed)
    pairs = [(arm, workload) for arm in range(len(settings.arms)) for workload in range(len(settings.workloads))]
    found = []
    for number in range(1, settings.repetitions_count + 1):
        block = pairs.copy()
        order.shuffle(block)
        found += [Planned(arm, workload, number) for arm, workload in block]
    return found
