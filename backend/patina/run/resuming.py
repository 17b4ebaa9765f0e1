"""Interrupted runs go on: from their checkpoint, on the device as they left it, or not at all.

An interrupted run holds no lease. It may go on as long as nobody else has held its device since: then the device holds
what the run left there, and the worker finds out whether that is so before it writes.
"""

from collections.abc import Callable

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from patina.device import lease
from patina.device.lease import DeviceBusy
from patina.device.models import Device, Lease
from patina.device.state import DeviceCondition
from patina.errors import PatinaError
from patina.job import journal
from patina.job import service as job_service
from patina.job.state import JobState
from patina.run.models import Run

# How often a run is resumed without anybody asking: one that is always interrupted at the same place must end.
AUTOMATIC_RESUMES_COUNT = 3
_MAY_PASS = frozenset({DeviceCondition.LOST, DeviceCondition.PROTECTED})


NotResumable = PatinaError.of("not_resumable", "The run cannot go on", status=409)


def resume_interrupted(*, session: Session, run: Run, is_automatic: bool) -> None:
    """Queue an interrupted run again. NotResumable, or DeviceBusy."""
    device = run.device
    if device.condition != DeviceCondition.READY:
        raise NotResumable(f"Device {device.path or device.stable_id} of run {run.id} is {device.condition}.")
    held = lease.acquire(session=session, device=device, holder=f"run {run.id}")
    _check_untouched(session, run, held)
    run.lease_id = held.id
    run.resumes_left_count = run.resumes_left_count - 1 if is_automatic else AUTOMATIC_RESUMES_COUNT
    if not is_automatic:
        run.pause_requested_at = None
    run.summary = run.stop_reason = None
    job_service.requeue(session=session, job=run, message="Queued to go on from its checkpoint")
    session.refresh(device, ["active_lease"])


def resume_all_interrupted(*, session: Session, host_id: int, has_checkpoint: Callable[[int], bool]) -> list[int]:
    """Queue the interrupted runs of this host that may go on automatically: the ids of the runs. A run without a
    checkpoint would format its device again, so that a user has to resume it."""
    runs = session.scalars(
        select(Run)
        .join(Device, Run.device_id == Device.id)
        .where(Device.host_id == host_id, Run.state == JobState.INTERRUPTED, Run.resumes_left_count > 0)
        .order_by(Run.id)
    ).all()
    return [run.id for run in runs if _try_to_resume(session, run, has_checkpoint=has_checkpoint(run.id))]


def _try_to_resume(session: Session, run: Run, *, has_checkpoint: bool) -> bool:
    """False where it cannot go on, now or ever; then a user may ask, and is told why."""
    if not has_checkpoint:
        run.resumes_left_count = 0
        message = f"Run {run.id} was interrupted before its first checkpoint. Resume it to begin again from its plan."
        journal.ask_for_help(session=session, job_id=run.id, message=message)
        return False
    if run.device.condition in _MAY_PASS:
        _say_what_is_missing(session, run)
        return False
    try:
        with session.begin_nested():
            resume_interrupted(session=session, run=run, is_automatic=True)
    except NotResumable as error:
        run.resumes_left_count = 0  # whoever waits for the device must not wait for this one
        journal.ask_for_help(session=session, job_id=run.id, message=error.message)
        return False
    except DeviceBusy:
        return False
    return True


def _say_what_is_missing(session: Session, run: Run) -> None:
    """A disk may be slower to come up than its host, or somebody has mounted it: the run keeps its tries."""
    device = run.device
    why = f" ({device.condition_reason})" if device.condition_reason else ""
    message = (
        f"Device {device.path or device.stable_id} is {device.condition}{why}. "
        "The run goes on by itself once the device can be written to again."
    )
    journal.ask_for_help(session=session, job_id=run.id, message=message)


def _check_untouched(session: Session, run: Run, held: Lease) -> None:
    before = session.scalar(select(func.max(Lease.id)).where(Lease.device_id == run.device_id, Lease.id < held.id))
    if before != run.lease_id:
        raise NotResumable(
            f"Something else was done on {run.device.path} since run {run.id} was interrupted: what the run had made "
            "there is gone. Start a new run with the same settings."
        )
