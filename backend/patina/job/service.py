"""Jobs of all kinds: submit, find, stop, retry; end those of a removed host."""

from datetime import UTC, datetime
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from patina.account.actor import current_actor
from patina.account.visibility import is_seen, require_changeable, seen
from patina.db import take_turn
from patina.device import lease
from patina.device.lease import DeviceBusy
from patina.device.state import DeviceCondition
from patina.device.users import require_usable
from patina.errors import NotFound, PatinaError
from patina.host import service as host_service
from patina.job import journal
from patina.job.kind import KINDS, kind_of
from patina.job.models import Job
from patina.job.state import ENDED, JobState
from patina.queue import enqueue

AnyJob = TypeVar("AnyJob", bound=Job)

# Automatic resumes of a job: one that is always interrupted at the same point must end.
AUTOMATIC_RESUMES_COUNT = 3

# The message of a stopped job that no worker has.
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
JobUnderWay = PatinaError.of("job_under_way", "Another job is under way", status=409)
NotRetriable = PatinaError.of("not_retriable", "The job cannot be tried again", status=409)
IdempotencyKeyReused = PatinaError.of("idempotency_key_reused", "This confirmation was already used", status=409)


def get_job(*, session: Session, job_id: int, model: type[AnyJob]) -> AnyJob:
    """Returns the job, of a kind of that class. Raises JobUnknown."""
    job = session.get(model, job_id)
    if job is None or not is_seen(job):
        raise JobUnknown(f"There is no {model.__mapper__.polymorphic_identity or model.__name__.lower()} {job_id}.")
    return job


def get_state(*, session: Session, job_id: int) -> JobState:
    """Returns the job's state, without loading the job and its related rows. Raises JobUnknown."""
    state = session.scalar(select(Job.state).where(Job.id == job_id, seen(Job)))
    if state is None:
        raise JobUnknown(f"There is no job {job_id}.")
    return state


def submitted_with(
    *, session: Session, model: type[AnyJob], key: str | None, request: dict[str, object]
) -> AnyJob | None:
    """Returns the job that the idempotency key has started. Raises IdempotencyKeyReused when its request differs.
    Serializes concurrent requests with one key."""
    if key is None:
        return None
    take_turn(session, f"job {key}")
    job = session.scalar(select(Job).where(Job.idempotency_key == key))
    if job is None:
        return None
    if not isinstance(job, model) or job.request != request or not is_seen(job):
        raise IdempotencyKeyReused(f"Idempotency key {key!r} already started {job.seen_label}, of something else.")
    return job


def submit(*, session: Session, job: AnyJob, message: str) -> AnyJob:
    """Stores a new job. Sends its host a message unless the job waits for an upload or its device. Raises
    JobUnderWay when another job has its turn."""
    job.message, job.turn = message, kind_of(job).turn_of(job)
    actor = current_actor.get()
    if actor is not None:
        job.account_id = actor.account_id
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
    name = other.seen_label if other is not None else f"another {job.kind}"
    return JobUnderWay(f"{name.capitalize()} is under way there. Wait until it has ended, or stop it.")


def send(*, session: Session, job: Job) -> None:
    """Sends the host a message for a queued job that does not wait."""
    if job.state == JobState.QUEUED and not job.is_waiting:
        enqueue(session, "work", job.id, host_name=job.host.name)


def stop(*, session: Session, job_id: int) -> Job:
    """Requests a stop. Cancels a job without a worker at once; an ended one stays as it is."""
    job = get_job(session=session, job_id=job_id, model=Job)
    require_changeable(job)
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
    """Queues a failed, canceled or interrupted job again with the same request. An open job stays as it is. Raises
    NotRetriable, HostLost, JobUnderWay."""
    job = get_job(session=session, job_id=job_id, model=Job)
    require_changeable(job)
    kind = kind_of(job)
    if job.state not in kind.retries:
        if job.state not in ENDED and job.state != JobState.INTERRUPTED:
            return job
        raise NotRetriable(f"{job.label.capitalize()} is {job.state}, and cannot be tried again. Start a new one.")
    host_service.require_heard(job.host)
    if kind.may_begin(session, job):
        hold_device(session=session, job=job)
    else:
        job.lease_id = None  # it waits again for what it needs
    job.resumes_left_count = job.resumes_left_count if not kind.resumes else AUTOMATIC_RESUMES_COUNT
    return requeue(session=session, job=job, message=f"Queued again on {job.host.name}")


def hold_device(*, session: Session, job: Job) -> None:
    """Gives a job that is to go on its device again; does nothing for one without. Raises DeviceBusy."""
    if job.device_id is not None:
        job.lease_id = lease.acquire(session=session, device=job.device, holder=job.label).id


def resume_interrupted(*, session: Session, host_id: int) -> list[int]:
    """Queues the interrupted jobs of this host whose kind goes on by itself. Returns their ids."""
    kinds = [kind.name for kind in KINDS.values() if kind.resumes]
    jobs = session.scalars(
        select(Job)
        .where(
            Job.host_id == host_id, Job.kind.in_(kinds), Job.state == JobState.INTERRUPTED, Job.resumes_left_count > 0
        )
        .order_by(Job.id)
    ).all()
    return [job.id for job in jobs if _try_to_resume(session, job)]


def _try_to_resume(session: Session, job: Job) -> bool:
    if job.device is not None and job.device.condition != DeviceCondition.READY:
        return False
    try:
        with session.begin_nested():
            hold_device(session=session, job=job)
            job.resumes_left_count -= 1
            requeue(session=session, job=job, message="Queued to go on where it was interrupted")
    except DeviceBusy:
        return False
    return True


def requeue(*, session: Session, job: AnyJob, message: str) -> AnyJob:
    """Queues a job at rest again. Raises JobUnderWay, DeviceNotYours."""
    if job.device is not None:
        require_usable(job.device)
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


# Resets the columns that an earlier attempt has set.
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
    """Ends all jobs of a removed host. Begun jobs are interrupted, since their results may still exist; the others are
    canceled."""
    jobs = session.scalars(
        select(Job).where(Job.host_id == host_id, Job.state.not_in(ENDED)).order_by(Job.id).with_for_update(of=Job)
    ).all()
    for job in jobs:
        job.resumes_left_count = 0
        if job.state in _WITHOUT_HOST:
            journal.move(
                session=session, job=job, from_state=job.state, to_state=_WITHOUT_HOST[job.state], message=message
            )
