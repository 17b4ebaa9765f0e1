"""Phases of a run, and reasons why its aging ended."""

from enum import StrEnum


class Phase(StrEnum):
    PREPARE = "prepare"
    RAPID = "rapid"
    STABLE = "stable"
    MATERIALIZE = "materialize"
    CAPTURE = "capture"
    RESTORE = "restore"  # of a run in memory: its image, to the device


# The aging is over: steering has no effect.
AFTER_AGING = frozenset({Phase.CAPTURE, Phase.RESTORE})


class StopReason(StrEnum):
    CONVERGED = "converged"
    COMPLETED = "completed"  # a workload, or the number of operations that was asked for
    FULLNESS_MISSED = "fullness_missed"
    ACCURACY_REACHED = "accuracy_reached"
    OVERWRITES_REACHED = "overwrites_reached"
    TIME_REACHED = "time_reached"
    CANCELED = "canceled"
