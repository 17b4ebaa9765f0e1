"""Jobs that wait for a busy device: queued without a lease, in order of their age.

The heartbeat of the device's host gives a free device to the job that has waited longest, once its kind lets it begin.
An interrupted job that will resume automatically comes first: its files are on the device.
"""

from sqlalchemy import cast, select, update
from sqlalchemy.dialects.postgresql import JSONB, distinct_on
from sqlalchemy.orm import Session

from patina.device import lease
from patina.device.lease import DeviceBusy
from patina.device.models import Device, Lease
from patina.device.state import DeviceCondition
from patina.job import journal
from patina.job import service as job_service
from patina.job.event import Step
from patina.job.kind import kind_of
from patina.job.models import Job
from patina.job.state import JobState

# These conditions need a user: they do not change by themselves.
_STUCK = frozenset({DeviceCondition.PROTECTED, DeviceCondition.LOST, DeviceCondition.FAILED})


def is_anybody_waiting(*, session: Session, device_id: int) -> bool:
    """Returns whether a job waits for the device."""
    statement = select(Job.id).where(Job.device_id == device_id, Job.is_waiting)
    return session.scalar(statement.limit(1)) is not None


def hold_or_wait(*, session: Session, device: Device, waits: bool, holder: str) -> Lease | None:
    """Returns the device's lease; None for a job that waits. Waiting jobs come first. Raises DeviceBusy."""
    if is_anybody_waiting(session=session, device_id=device.id):
        if waits:
            return None
        raise DeviceBusy(f"Other jobs wait for device {device.path or device.stable_id} already. Wait as well.")
    try:
        return lease.acquire(session=session, device=device, holder=holder)
    except DeviceBusy:
        if waits:
            return None
        raise


def confirm(*, session: Session, device_id: int, holds: str | None, generation: str) -> None:
    """Stores the device's new content, after a job has ended, in the jobs that wait for it: they may destroy that, and
    no content written later."""
    left = {"holds": holds, "generation": generation}
    session.execute(
        update(Job)
        .where(Job.device_id == device_id, Job.is_waiting)
        .values(confirmed=Job.confirmed.op("||")(cast(left, JSONB)))
        .execution_options(synchronize_session=False)
    )


def start_waiting(*, session: Session, host_id: int) -> list[int]:
    """Gives each free device of the host to the job that has waited longest for it. Returns the ids of those jobs."""
    waiting = session.scalars(
        select(Job)
        .join(Device, Job.device_id == Device.id)
        .where(Device.host_id == host_id, Job.is_waiting)
        .ext(distinct_on(Job.device_id))
        .order_by(Job.device_id, Job.id)
    ).all()
    return [job.id for job in waiting if _start(session, job)]


def _start(session: Session, job: Job) -> bool:
    device = job.device
    if device.condition == DeviceCondition.REMOVED:
        message = f"Device {device.stable_id} was removed while {job.label} waited for it."
        journal.move(
            session=session,
            job=job,
            from_state=JobState.QUEUED,
            to_state=JobState.FAILED,
            message=message,
            error_code="device_missing",
        )
        return False
    if device.condition in _STUCK and device.active_lease is None:
        why = f" ({device.condition_reason})" if device.condition_reason else ""
        message = f"Cannot start: device {device.path or device.stable_id} is {device.condition}{why}."
        journal.ask_for_help(session=session, job_id=job.id, message=message)
    if device.condition != DeviceCondition.READY or _is_kept(session, device.id):
        return False
    if not kind_of(job).may_begin(session, job):
        return False
    try:
        held = lease.acquire(session=session, device=device, holder=job.label)
    except DeviceBusy:
        return False
    session.refresh(job, with_for_update={"of": Job})
    if job.state != JobState.QUEUED:  # canceled meanwhile
        lease.release(session=session, lease_id=held.id)
        return False
    job.lease_id = held.id
    session.flush()
    journal.append(session=session, job_id=job.id, payload=Step(type="step", message="The device is free: its turn"))
    job_service.send(session=session, job=job)
    return True


def _is_kept(session: Session, device_id: int) -> bool:
    """Returns whether an interrupted job is about to resume on the device."""
    statement = select(Job.id).where(
        Job.device_id == device_id, Job.state == JobState.INTERRUPTED, Job.resumes_left_count > 0
    )
    return session.scalar(statement.limit(1)) is not None
