"""Rows of runs as a worker leaves them, for tests that need no worker."""

from sqlalchemy.orm import Session

from patina.db import transaction
from patina.device import lease
from patina.device.models import Device
from patina.job import journal
from patina.job.event import Step
from patina.job.state import JobState
from patina.profile.service import get_profile
from patina.run import service
from patina.run.models import Run


def stored_run(*, session: Session, device_id: int, holder: str = "run of a test", **changes: object) -> Run:
    """A run that holds its device, with no event yet: queued unless `changes` say another state."""
    device = session.get_one(Device, device_id)
    values: dict[str, object] = {
        "host": device.host,
        "device": device,
        "request": {},
        "profile_version": get_profile(session=session, name="agrawal").latest_version,
        "lease": lease.acquire(session=session, device=device, holder=holder),
        "file_system": "ext4",
        "fullness": 0.7,
        "seed": 1,
        "fullness_of": "files",
        "mode": "unbounded",
        "data_mode": "fallocate",
        "capture_mode": "exact",
        "threads_count": 1,
        "confirmed": {},
        "state": JobState.QUEUED,
    }
    run = Run(**(values | changes))
    session.add(run)
    session.flush()
    return run


def running_run(device_id: int) -> int:
    """A run that was started: it has one event."""
    with transaction() as session:
        run = stored_run(session=session, device_id=device_id)
        journal.move(session=session, job=run, from_state=JobState.QUEUED, to_state=JobState.RUNNING, message="Started")
        return run.id


def say(run_id: int, *messages: str, at_once: bool = False) -> None:
    """Append one event for each message, each in a transaction of its own or all in one."""
    for group in [messages] if at_once else [(message,) for message in messages]:
        with transaction() as session:
            for message in group:
                journal.append(session=session, job_id=run_id, payload=Step(type="step", message=message))


def end(run_id: int) -> None:
    """The running run has succeeded."""
    with transaction() as session:
        run = service.get_run(session=session, run_id=run_id)
        journal.move(session=session, job=run, from_state=JobState.RUNNING, to_state=JobState.SUCCEEDED, message="Done")
