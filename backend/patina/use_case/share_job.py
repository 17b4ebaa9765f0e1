"""Changes who sees a job. The runs of a batch are seen by the same accounts."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.account.schemas import Sharing
from patina.account.visibility import share
from patina.job import service as job_service
from patina.job.models import Job
from patina.run.models import Run


def share_job(*, session: Session, job_id: int, sharing: Sharing) -> Job:
    """Changes who sees the job. Raises JobUnknown, NotYours, TeamMissing, TeamUnknown, NotAMember."""
    job = job_service.get_job(session=session, job_id=job_id, model=Job)
    for each in _shared_with(session, job):
        share(session=session, row=each, sharing=sharing)
    return job


def _shared_with(session: Session, job: Job) -> list[Job]:
    if not isinstance(job, Run) or job.batch_id is None:
        return [job]
    return list(session.scalars(select(Run).where(Run.batch_id == job.batch_id).order_by(Run.id)))
