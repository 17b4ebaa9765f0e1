"""The queue of a device, as one of its jobs sees it: the jobs that come before it, in order."""

from typing import Literal

from pydantic import BaseModel, Field
from sqlalchemy import false, or_, select
from sqlalchemy.orm import Session

from patina.account.visibility import is_seen
from patina.job.models import Job
from patina.job.service import get_job
from patina.job.state import JobState

Reason = Literal["holds", "resumes", "waits"]


class JobAhead(BaseModel):
    """A job that comes before another one on its device."""

    id: int | None = Field(description="null: a job that the sender does not see")
    kind: str
    state: JobState
    reason: Reason = Field(description="It holds the device, resumes on it by itself, or has waited longer")
    phase: str | None
    eta_s: float | None = Field(description="Remaining seconds; null: unknown")


class JobQueue(BaseModel):
    ahead: list[JobAhead] = Field(description="In order; empty: the job has its turn, or has begun")


def queue_of(*, session: Session, job_id: int) -> JobQueue:
    """Returns the jobs ahead of a waiting job; none of another one. Raises JobUnknown."""
    job = get_job(session=session, job_id=job_id, model=Job)
    if not job.is_waiting:
        return JobQueue(ahead=[])
    held = job.device.active_lease
    holds = false() if held is None else Job.lease_id == held.id
    resumes = (Job.state == JobState.INTERRUPTED) & (Job.resumes_left_count > 0)
    waits = Job.is_waiting & (Job.id < job.id)
    reason: dict[int, Reason] = {}
    of_device = select(Job).where(Job.device_id == job.device_id, Job.id != job.id)
    others = list(session.scalars(of_device.where(or_(holds, resumes, waits)).order_by(Job.id)))
    for other in others:
        is_holder = held is not None and other.lease_id == held.id
        reason[other.id] = "holds" if is_holder else "waits" if other.is_waiting else "resumes"
    order: tuple[Reason, ...] = ("holds", "resumes", "waits")
    ahead = sorted(others, key=lambda other: (order.index(reason[other.id]), other.id))
    return JobQueue(ahead=[_shown(other, reason[other.id]) for other in ahead])


def _shown(job: Job, reason: Reason) -> JobAhead:
    return JobAhead(
        id=job.id if is_seen(job) else None,
        kind=job.kind,
        state=job.state,
        reason=reason,
        phase=job.phase,
        eta_s=job.eta_s,
    )
