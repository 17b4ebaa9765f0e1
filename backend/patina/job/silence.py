"""Jobs whose host says nothing any more. Nobody there can ask for help: the server does, in their place."""

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.host.models import Host, database_time
from patina.job import journal
from patina.job.models import Job
from patina.job.state import ENDED

# A host is lost after 20 s, and says so on every page; a worker that is only deployed anew needs nobody.
PATIENCE = timedelta(minutes=1)


def ask_for_lost_jobs(*, session: Session) -> list[int]:
    """A call for help of each job that has not ended on a host that is silent, once a silence: the ids of the jobs. One
    that nobody asked for needs nobody."""
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
    """Of two processes of the API that look at once, the later waits, and finds it said."""
    session.refresh(job, with_for_update={"of": Job})
    silence = job.host.silence
    message = (
        f"{silence[0].upper()}{silence[1:]}. What the {job.kind} does there is not known; it goes on, or is taken up "
        "again, when a worker of that host runs and reaches the server."
    )
    return journal.ask_for_help(session=session, job_id=job.id, message=message)
