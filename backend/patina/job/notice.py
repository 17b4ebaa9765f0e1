"""Notices: messages of jobs for users who do not watch them. The job ended, or needs a user.

A notice is a row, written in the transaction of its event: it cannot be lost, and an event has at most one.
Webhooks and browsers deliver it.
"""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from patina.account.visibility import seen
from patina.job.feed import StoredEvent
from patina.job.models import Job, JobNotice
from patina.job.state import JobState, NoticeKind

_KINDS = {
    JobState.SUCCEEDED: NoticeKind.SUCCEEDED,
    JobState.FAILED: NoticeKind.FAILED,
    JobState.CANCELED: NoticeKind.CANCELED,
}


def kind_of(job: Job) -> NoticeKind | None:
    """Returns the kind of notice for the job's new state; None for no notice. For automatic jobs, only failures are
    notified."""
    if job.is_automatic:
        return NoticeKind.FAILED if job.state == JobState.FAILED else None
    if job.state == JobState.INTERRUPTED and job.resumes_left_count == 0:
        return NoticeKind.NEEDS_YOU
    return _KINDS.get(job.state)


def write(*, session: Session, event: StoredEvent, kind: NoticeKind, message: str) -> None:
    """Adds a notice of `event`."""
    session.add(JobNotice(job_id=event.job_id, sequence=event.sequence, kind=kind, message=message))
    session.flush()


def latest_message(*, session: Session, job_id: int, kind: NoticeKind) -> str | None:
    """Returns the message of the job's latest notice, if that is of this kind."""
    latest = session.scalar(
        select(JobNotice).where(JobNotice.job_id == job_id).order_by(JobNotice.sequence.desc()).limit(1)
    )
    return latest.message if latest is not None and latest.kind == kind else None


def latest_notices(*, session: Session, job_ids: Sequence[int]) -> list[JobNotice]:
    """Returns the latest notice of each of these jobs that has one and that the sender sees."""
    statement = (
        select(JobNotice)
        .join(Job, JobNotice.job_id == Job.id)
        .where(JobNotice.job_id.in_(job_ids), seen(Job))
        .ext(distinct_on(JobNotice.job_id))
        .order_by(JobNotice.job_id, JobNotice.sequence.desc())
    )
    return list(session.scalars(statement))
