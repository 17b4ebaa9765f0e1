"""Resumes interrupted runs: from their checkpoint, on the unchanged device, or not at all.

An interrupted run holds no lease. It may resume as long as no other job has held its device since: then the device
should have the run's content, which the worker checks before it writes.
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

_MAY_PASS = frozenset({DeviceCondition.LOST, DeviceCondition.PROTECTED})


NotResumable = PatinaError.of("not_resumable", "The run cannot go on", status=409)


def resume_interrupted(*, session: Session, run: Run, is_automatic: bool) -> None:
    """Queues an interrupted run again. Raises NotResumable or DeviceBusy."""
    device = run.device
    if device.condition != DeviceCondition.READY:
        raise NotResumable(f"Device {device.path or device.stable_id} of run {run.id} is {device.condition}.")
    held = lease.acquire(session=session, device=device, holder=f"run {run.id}")
    _check_untouched(session, run, held)
    run.lease_id = held.id
    run.resumes_left_count = run.resumes_left_count - 1 if is_automatic else job_service.AUTOMATIC_RESUMES_COUNT
    if not is_automatic:
        run.pause_requested_at = None
    run.summary = run.stop_reason = None
    job_service.requeue(session=session, job=run, message="Queued to go on from its checkpoint")
    session.refresh(device, ["active_lease"])


def resume_all_interrupted(*, session: Session, host_id: int, has_checkpoint: Callable[[int], bool]) -> list[int]:
    """Queues the interrupted runs of this host that may resume automatically. Returns their ids. A run without a
    checkpoint would format its device again, so that a user has to resume it."""
    runs = session.scalars(
        select(Run)
        .join(Device, Run.device_id == Device.id)
        .where(Device.host_id == host_id, Run.state == JobState.INTERRUPTED, Run.resumes_left_count > 0)
        .order_by(Run.id)
    ).all()
    return [run.id for run in runs if _try_to_resume(session, run, has_checkpoint=has_checkpoint(run.id))]


def _try_to_resume(session: Session, run: Run, *, has_checkpoint: bool) -> bool:
    """Returns False if the run cannot resume, now or ever; a notice then states why."""
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
        run.resumes_left_count = 0  # runs that wait for the device must not wait for this one
        journal.ask_for_help(session=session, job_id=run.id, message=error.message)
        return False
    except DeviceBusy:
        return False
    return True


def _say_what_is_missing(session: Session, run: Run) -> None:
    """Writes a notice. The run keeps its resumes: the disk may start later than its host, or be mounted for a while."""
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
            f"Another job has used {run.device.path} since run {run.id} was interrupted: the run's files are lost. "
            "Start a new run with the same settings."
        )
