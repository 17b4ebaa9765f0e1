"""Runs that wait for a busy device: queued without a lease, in order of their age.

The heartbeat of the device's host gives a free device to the run that has waited longest. An interrupted run that will
resume automatically comes first: its files are on the device.
"""

from sqlalchemy import cast, select, update
from sqlalchemy.dialects.postgresql import JSONB, distinct_on
from sqlalchemy.orm import Session

from patina.device import lease
from patina.device.lease import DeviceBusy
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.job import journal
from patina.job import service as job_service
from patina.job.event import Step
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run

# These conditions need a user: they do not change by themselves.
_STUCK = frozenset({DeviceCondition.PROTECTED, DeviceCondition.LOST, DeviceCondition.FAILED})


def is_anybody_waiting(*, session: Session, device_id: int) -> bool:
    """Returns whether a run waits for the device."""
    statement = select(Run.id).where(Run.device_id == device_id, Run.state == JobState.QUEUED, Run.lease_id.is_(None))
    return session.scalar(statement.limit(1)) is not None


def confirm(*, session: Session, device_id: int, holds: str | None, generation: str) -> None:
    """Stores the device's new content, after a job has ended, in the runs that wait for it: they may destroy that, and
    no content written later."""
    left = {"holds": holds, "generation": generation}
    session.execute(
        update(Job)
        .where(Job.device_id == device_id, Job.is_waiting)
        .values(confirmed=Job.confirmed.op("||")(cast(left, JSONB)))
        .execution_options(synchronize_session=False)
    )


def start_waiting(*, session: Session, host_id: int) -> list[int]:
    """Gives each free device of the host to the run that has waited longest for it. Returns the ids of those runs."""
    waiting = session.scalars(
        select(Run)
        .join(Device, Run.device_id == Device.id)
        .where(Device.host_id == host_id, Run.state == JobState.QUEUED, Run.lease_id.is_(None))
        .ext(distinct_on(Run.device_id))
        .order_by(Run.device_id, Run.id)
    ).all()
    return [run.id for run in waiting if _start(session, run)]


def _start(session: Session, run: Run) -> bool:
    device = run.device
    if device.condition == DeviceCondition.REMOVED:
        message = f"Device {device.stable_id} was removed while the run waited for it."
        journal.move(
            session=session,
            job=run,
            from_state=JobState.QUEUED,
            to_state=JobState.FAILED,
            message=message,
            error_code="device_missing",
        )
        return False
    if device.condition in _STUCK and device.active_lease is None:
        why = f" ({device.condition_reason})" if device.condition_reason else ""
        message = f"Cannot start: device {device.path or device.stable_id} is {device.condition}{why}."
        journal.ask_for_help(session=session, job_id=run.id, message=message)
    if device.condition != DeviceCondition.READY or _is_kept(session, device.id):
        return False
    try:
        held = lease.acquire(session=session, device=device, holder=f"run {run.id}")
    except DeviceBusy:
        return False
    session.refresh(run, with_for_update={"of": Job})
    if run.state != JobState.QUEUED:  # canceled meanwhile
        lease.release(session=session, lease_id=held.id)
        return False
    run.lease_id = held.id
    session.flush()
    journal.append(session=session, job_id=run.id, payload=Step(type="step", message="The device is free: its turn"))
    job_service.send(session=session, job=run)
    return True


def _is_kept(session: Session, device_id: int) -> bool:
    """Returns whether an interrupted run is about to resume on the device."""
    statement = select(Run.id).where(
        Run.device_id == device_id, Run.state == JobState.INTERRUPTED, Run.resumes_left_count > 0
    )
    return session.scalar(statement.limit(1)) is not None
