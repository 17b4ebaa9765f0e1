"""States of a job and the moves between them.

A move is one compare-and-set (`UPDATE job SET state = :to WHERE id = :id AND state = :from`, in journal.py); whoever
loses the race gets StateConflict. No state is ever assigned.
"""

from enum import StrEnum


class JobState(StrEnum):
    UPLOADING = "uploading"  # what it works on is still being sent
    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    CANCELING = "canceling"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    INTERRUPTED = "interrupted"


class NoticeKind(StrEnum):
    """What a job says to those who do not watch it."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    NEEDS_YOU = "needs_you"


ENDED = frozenset({JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELED})
# At rest: nobody works on it. An interrupted one may go on.
TERMINAL = ENDED | {JobState.INTERRUPTED}
# A worker works on it, or did until it died.
WORKED_ON = frozenset({JobState.RUNNING, JobState.PAUSED, JobState.CANCELING})

MOVES: dict[JobState, frozenset[JobState]] = {
    JobState.UPLOADING: frozenset({JobState.QUEUED, JobState.FAILED, JobState.CANCELED}),
    JobState.QUEUED: frozenset({JobState.RUNNING, JobState.CANCELED, JobState.FAILED}),
    JobState.RUNNING: frozenset(
        {JobState.PAUSED, JobState.CANCELING, JobState.SUCCEEDED, JobState.FAILED, JobState.INTERRUPTED}
    ),
    JobState.PAUSED: frozenset({JobState.RUNNING, JobState.CANCELING, JobState.FAILED, JobState.INTERRUPTED}),
    JobState.CANCELING: frozenset({JobState.CANCELED, JobState.SUCCEEDED, JobState.FAILED, JobState.INTERRUPTED}),
    JobState.SUCCEEDED: frozenset(),
    JobState.FAILED: frozenset(),
    JobState.CANCELED: frozenset(),
    JobState.INTERRUPTED: frozenset({JobState.QUEUED, JobState.CANCELED}),
}


def may_move(from_state: JobState, to_state: JobState, *, retries: frozenset[JobState] = frozenset()) -> bool:
    """Whether `from_state` may become `to_state`, for a kind that can be tried again from `retries`."""
    return to_state in MOVES[from_state] or (to_state == JobState.QUEUED and from_state in retries)


def in_sql(states: frozenset[JobState] | type[JobState]) -> str:
    """The states as the list of an IN."""
    return ", ".join(f"'{state}'" for state in sorted(states))
