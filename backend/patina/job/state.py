"""States of a job and the moves between them.

A move is one compare-and-set (`UPDATE job SET state = :to WHERE id = :id AND state = :from`, in journal.py); the loser
of a race gets StateConflict. State is never assigned.
"""

from enum import StrEnum


class JobState(StrEnum):
    UPLOADING = "uploading"  # its file is still being uploaded
    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    CANCELING = "canceling"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    INTERRUPTED = "interrupted"


class NoticeKind(StrEnum):
    """Kinds of a job's notices."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    NEEDS_YOU = "needs_you"


ENDED = frozenset({JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELED})
# At rest: no worker has it. An interrupted one may go on.
TERMINAL = ENDED | {JobState.INTERRUPTED}
# A worker has it, or had it until the worker died.
WORKED_ON = frozenset({JobState.RUNNING, JobState.PAUSED, JobState.CANCELING})

MOVES: dict[JobState, frozenset[JobState]] = {
    JobState.UPLOADING: frozenset({JobState.QUEUED, JobState.FAILED, JobState.CANCELED}),
    JobState.QUEUED: frozenset({JobState.RUNNING, JobState.CANCELED, JobState.FAILED}),
    JobState.RUNNING: frozenset(
        {JobState.PAUSED, JobState.CANCELING, JobState.SUCCEEDED, JobState.FAILED, JobState.INTERRUPTED}
    ),
    JobState.PAUSED: frozenset({JobState.RUNNING, JobState.CANCELING, JobState.FAILED, JobState.INTERRUPTED}),
    # Running again: the request to stop was declined.
    JobState.CANCELING: frozenset(
        {JobState.RUNNING, JobState.CANCELED, JobState.SUCCEEDED, JobState.FAILED, JobState.INTERRUPTED}
    ),
    JobState.SUCCEEDED: frozenset(),
    JobState.FAILED: frozenset(),
    JobState.CANCELED: frozenset(),
    JobState.INTERRUPTED: frozenset({JobState.QUEUED, JobState.CANCELED}),
}


def may_move(from_state: JobState, to_state: JobState, *, retries: frozenset[JobState] = frozenset()) -> bool:
    """Returns whether `from_state` may become `to_state`, for a kind that can be tried again from `retries`."""
    return to_state in MOVES[from_state] or (to_state == JobState.QUEUED and from_state in retries)


def in_sql(states: frozenset[JobState] | type[JobState]) -> str:
    """Returns the states as the list of an SQL IN."""
    return ", ".join(f"'{state}'" for state in sorted(states))
