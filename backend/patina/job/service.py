"""Jobs of every kind: submit, look up, stop, try again, end with their host."""

from datetime import UTC, datetime
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from patina.db import take_turn
from patina.device import lease
from patina.errors import NotFound, PatinaError
from patina.host import service as host_service
from patina.job import journal
from patina.job.kind import kind_of
from patina.job.models import Job
from patina.job.state import ENDED, JobState
from patina.queue import enqueue

AnyJob = TypeVar("AnyJob", bound=Job)

# The state that a job without a worker takes when it is stopped.
_GIVEN_UP = {
    JobState.UPLOADING: "Canceled before all of it was sent",
    JobState.QUEUED: "Canceled before it started",
    JobState.INTERRUPTED: "Given up after it was interrupted",
}
_WITHOUT_HOST = {
    JobState.UPLOADING: JobState.CANCELED,
    JobState.QUEUED: JobState.CANCELED,
    JobState.RUNNING: JobState.INTERRUPTED,
    JobState.PAUSED: JobState.INTERRUPTED,
    JobState.CANCELING: JobState.CANCELED,
}


JobUnknown = NotFound.of("job_unknown", "Job unknown")
JobUnderWay = PatinaError.of("job_under_way", "One is under way", status=409)
NotRetriable = PatinaError.of("not_retriable", "The job cannot be tried again", status=409)
IdempotencyKeyReused = PatinaError.of("idempotency_key_reused", "This confirmation was already used", status=409)


def get_job(*, session: Session, job_id: int, model: type[AnyJob]) -> AnyJob:
    """The job, of the kinds of that class, or JobUnknown."""
    job = session.get(model, job_id)
    if job is None:
        raise JobUnknown(f"There is no {model.__mapper__.polymorphic_identity or model.__name__.lower()} {job_id}.")
    return job


def get_state(*, session: Session, job_id: int) -> JobState:
    """Its state alone, or JobUnknown: a whole job is rows of other tables too."""
    state = session.scalar(select(Job.state).where(Job.id == job_id))
    if state is None:
        raise JobUnknown(f"There is no job {job_id}.")
    return state


def submitted_with(
    *, session: Session, model: type[AnyJob], key: str | None, request: dict[str, object]
) -> AnyJob | None:
    """The job that the idempotency key has started, or IdempotencyKeyReused when something else was asked for. Of two
    who come at once, the later waits here for the earlier."""
    if key is None:
        return None
    take_turn(session, f"job {key}")
    job = session.scalar(select(Job).where(Job.idempotency_key == key))
    if job is None:
        return None
    if not isinstance(job, model) or job.request != request:
        raise IdempotencyKeyReused(f"Idempotency key {key!r} already started {job.label}, of something else.")
    return job


def submit(*, session: Session, job: AnyJob, message: str) -> AnyJob:
    """Store a new job, and send its host a message unless it waits: for the rest of what was sent, or for its device.
    JobUnderWay when another has its turn."""
    job.message, job.turn = message, kind_of(job).turn_of(job)
    try:
        with session.begin_nested():
            session.add(job)
    except IntegrityError as error:
        if "uq_job_turn" not in str(error.orig):
            raise
        raise _under_way(session, job) from error
    if job.lease is not None:
        job.lease.holder = job.label
    journal.tell(session=session, job=job)
    send(session=session, job=job)
    session.refresh(job)
    if job.device is not None:
        session.refresh(job.device, ["active_lease"])
    return job


def _under_way(session: Session, job: Job) -> PatinaError:
    with session.no_autoflush:
        other = session.scalar(select(Job).where(Job.turn == job.turn, Job.state.not_in(ENDED)))
    name = other.label if other is not None else f"another {job.kind}"
    return JobUnderWay(f"{name.capitalize()} is under way there. Wait until it has ended, or stop it.")


def send(*, session: Session, job: Job) -> None:
    """The message to the host of a queued job that does not wait."""
    if job.state == JobState.QUEUED and not job.is_waiting:
        enqueue(session, "work", job.id, host_name=job.host.name)


def stop(*, session: Session, job_id: int) -> Job:
    """Ask for its end. One without a worker is canceled at once; one that has ended stays as it is."""
    job = get_job(session=session, job_id=job_id, model=Job)
    lease.lock(session=session, lease_id=job.lease_id)
    for state, message in _GIVEN_UP.items():
        if job.state == state and journal.try_move(
            session=session, job=job, from_state=state, to_state=JobState.CANCELED, message=message
        ):
            if job.lease_id is not None:
                lease.release(session=session, lease_id=job.lease_id)
            return job
    for state in (JobState.RUNNING, JobState.PAUSED):
        if job.state == state and journal.try_move(
            session=session,
            job=job,
            from_state=state,
            to_state=JobState.CANCELING,
            message="Asked to stop",
            stop_requested_at=datetime.now(UTC),
        ):
            return job
    return job


def retry(*, session: Session, job_id: int) -> Job:
    """Queue again, with the same request, a job that has failed, was canceled or was interrupted. NotRetriable,
    HostLost, JobUnderWay. One that is on its way stays as it is."""
    job = get_job(session=session, job_id=job_id, model=Job)
    kind = kind_of(job)
    if job.state not in kind.retries:
        if job.state not in ENDED and job.state != JobState.INTERRUPTED:
            return job
        raise NotRetriable(f"{job.label.capitalize()} is {job.state}, and cannot be tried again. Start a new one.")
    host_service.require_heard(job.host)
    return requeue(session=session, job=job, message=f"Queued again on {job.host.name}")


def requeue(*, session: Session, job: AnyJob, message: str) -> AnyJob:
    """Queue a job at rest again. JobUnderWay."""
    try:
        with session.begin_nested():
            journal.move(
                session=session,
                job=job,
                from_state=job.state,
                to_state=JobState.QUEUED,
                message=message,
                turn=kind_of(job).turn_of(job),
                **ANEW,
            )
    except IntegrityError as error:
        if "uq_job_turn" not in str(error.orig):
            raise
        raise _under_way(session, job) from error
    send(session=session, job=job)
    return job


# What an earlier attempt has left in the row of a job that is queued again.
ANEW: dict[str, object] = {
    "stop_requested_at": None,
    "phase": None,
    "done": 0.0,
    "total": None,
    "error_code": None,
    "error_log": None,
    "result": None,
    "finished_at": None,
}


def end_all_of(*, session: Session, host_id: int, message: str) -> None:
    """The end of all jobs of a host that is gone: what was begun is interrupted, for what it made may still be there;
    the rest is canceled."""
    jobs = session.scalars(
        select(Job).where(Job.host_id == host_id, Job.state.not_in(ENDED)).order_by(Job.id).with_for_update(of=Job)
    ).all()
    for job in jobs:
        job.resumes_left_count = 0
        if job.state in _WITHOUT_HOST:
            journal.move(
                session=session, job=job, from_state=job.state, to_state=_WITHOUT_HOST[job.state], message=message
            )
