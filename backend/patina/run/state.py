"""States of a run and the moves between them.

A move is one compare-and-set (`UPDATE run SET state = :to WHERE id = :id AND state = :from`); whoever
loses the race gets StateConflict. No state is ever assigned.
"""

from enum import StrEnum


class RunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    CANCELING = "canceling"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    INTERRUPTED = "interrupted"


class Phase(StrEnum):
    PREPARE = "prepare"
    RAPID = "rapid"
    STABLE = "stable"
    MATERIALIZE = "materialize"
    CAPTURE = "capture"
    RESTORE = "restore"  # of a run in memory: its image, to the device


# The aging is over: there is nothing to steer any more.
AFTER_AGING = frozenset({Phase.CAPTURE, Phase.RESTORE})


class StopReason(StrEnum):
    CONVERGED = "converged"
    FULLNESS_MISSED = "fullness_missed"
    ACCURACY_REACHED = "accuracy_reached"
    OVERWRITES_REACHED = "overwrites_reached"
    TIME_REACHED = "time_reached"
    CANCELED = "canceled"


class NoticeKind(StrEnum):
    """What a run says to those who do not watch it."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    NEEDS_YOU = "needs_you"


ENDED = frozenset({RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELED})
# At rest: nobody works on it. An interrupted one may go on.
TERMINAL = ENDED | {RunState.INTERRUPTED}

MOVES: dict[RunState, frozenset[RunState]] = {
    RunState.QUEUED: frozenset({RunState.RUNNING, RunState.CANCELED, RunState.FAILED}),
    RunState.RUNNING: frozenset(
        {RunState.PAUSED, RunState.CANCELING, RunState.SUCCEEDED, RunState.FAILED, RunState.INTERRUPTED}
    ),
    RunState.PAUSED: frozenset({RunState.RUNNING, RunState.CANCELING, RunState.FAILED, RunState.INTERRUPTED}),
    RunState.CANCELING: frozenset({RunState.CANCELED, RunState.SUCCEEDED, RunState.FAILED, RunState.INTERRUPTED}),
    RunState.SUCCEEDED: frozenset(),
    RunState.FAILED: frozenset(),
    RunState.CANCELED: frozenset(),
    RunState.INTERRUPTED: frozenset({RunState.QUEUED, RunState.CANCELED}),
}


def may_move(from_state: RunState, to_state: RunState) -> bool:
    """Whether `from_state` may become `to_state`."""
    return to_state in MOVES[from_state]
