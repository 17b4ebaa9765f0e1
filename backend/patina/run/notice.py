"""Notices: what a run says to those who do not watch it. It ended, or it needs somebody.

A notice is a row, written in the transaction of the event it tells of: it cannot be lost, and there is one an event.
Webhooks and browsers pass it on.
"""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from patina.run.event import RunEvent
from patina.run.models import Run, RunNotice
from patina.run.state import NoticeKind, RunState

_KINDS = {
    RunState.SUCCEEDED: NoticeKind.SUCCEEDED,
    RunState.FAILED: NoticeKind.FAILED,
    RunState.CANCELED: NoticeKind.CANCELED,
}


def kind_of(run: Run) -> NoticeKind | None:
    """What the state that a run has just taken is to others; None: nothing."""
    if run.state == RunState.INTERRUPTED and run.resumes_left_count == 0:
        return NoticeKind.NEEDS_YOU
    return _KINDS.get(run.state)


def write(*, session: Session, event: RunEvent, kind: NoticeKind, message: str) -> None:
    """Leave a notice of `event`."""
    session.add(RunNotice(run_id=event.run_id, sequence=event.sequence, kind=kind, message=message))
    session.flush()


def latest_message(*, session: Session, run_id: int, kind: NoticeKind) -> str | None:
    """What the run's latest notice says, if it is of this kind."""
    latest = session.scalar(
        select(RunNotice).where(RunNotice.run_id == run_id).order_by(RunNotice.sequence.desc()).limit(1)
    )
    return latest.message if latest is not None and latest.kind == kind else None


def latest_notices(*, session: Session, run_ids: Sequence[int]) -> list[RunNotice]:
    """The latest notice of each of these runs that has one."""
    statement = (
        select(RunNotice)
        .where(RunNotice.run_id.in_(run_ids))
        .ext(distinct_on(RunNotice.run_id))
        .order_by(RunNotice.run_id, RunNotice.sequence.desc())
    )
    return list(session.scalars(statement))
