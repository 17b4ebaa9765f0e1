"""Notices for jobs of silent hosts: their workers cannot send any, so the server does."""

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.db import database_time
from patina.host.models import Host
from patina.job import journal
from patina.job.models import Job
from patina.job.state import ENDED

# A host is silent after 20 s, which every page shows; a restart of its worker needs no user.
PATIENCE = timedelta(minutes=1)


def ask_for_lost_jobs(*, session: Session) -> list[int]:
    """Writes a notice for each open job on a silent host, once for each silence. Returns the jobs' ids. Automatic jobs
    get none."""
    jobs = session.scalars(
        select(Job)
        .join(Host, Job.host_id == Host.id)
        .where(
            Job.state.not_in(ENDED),
            Job.is_automatic.is_(False),
            database_time() - Host.heartbeat_at >= PATIENCE,
            Host.removed_at.is_(None),
        )
        .order_by(Job.id)
    ).all()
    return [job.id for job in jobs if _ask(session, job)]


def _ask(session: Session, job: Job) -> bool:
    """Writes the notice. Of two processes of the API, the later waits for the lock, and finds the notice written."""
    session.refresh(job, with_for_update={"of": Job})
    silence = job.host.silence
    message = (
        f"{silence[0].upper()}{silence[1:]}. The state of the {job.kind} there is unknown; it goes on, or is resumed, "
        "when a worker of that host runs and reaches the server."
    )
    return journal.ask_for_help(session=session, job_id=job.id, message=message)
