"""Rows of runs as a worker leaves them, for tests without a worker."""

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
from patina.run.settings import RunSettings


def settings_of(**changes: object) -> dict[str, object]:
    """Returns the settings of a run, as stored."""
    asked = {"profile": "agrawal", "profile_version_number": 1, "fullness": 0.7, "seed": 1, "mode": "unbounded"}
    rest = {"data_mode": "fallocate", "capture_mode": "exact"}
    return RunSettings.model_validate(asked | rest | changes).model_dump(mode="json")


def stored_run(*, session: Session, device_id: int, holder: str = "run of a test", **changes: object) -> Run:
    """Stores a run without events, queued unless `changes` has another state. It holds its device, unless `changes` has
    a lease or None."""
    device = session.get_one(Device, device_id)
    values: dict[str, object] = {
        "host": device.host,
        "device": device,
        "request": {},
        "profile_version": get_profile(session=session, name="agrawal").latest_version,
        "settings": settings_of(**{name: changes.pop(name) for name in RunSettings.model_fields if name in changes}),
        "confirmed": {},
        "state": JobState.QUEUED,
    }
    if "lease" not in changes:
        values["lease"] = lease.acquire(session=session, device=device, holder=holder)
    run = Run(**(values | changes))
    session.add(run)
    session.flush()
    return run


def running_run(device_id: int) -> int:
    """Stores a started run with one event. Returns its id."""
    with transaction() as session:
        run = stored_run(session=session, device_id=device_id)
        journal.move(session=session, job=run, from_state=JobState.QUEUED, to_state=JobState.RUNNING, message="Started")
        return run.id


def say(run_id: int, *messages: str, at_once: bool = False) -> None:
    """Appends one event for each message, each in its own transaction or all in one."""
    for group in [messages] if at_once else [(message,) for message in messages]:
        with transaction() as session:
            for message in group:
                journal.append(session=session, job_id=run_id, payload=Step(type="step", message=message))


def end(run_id: int) -> None:
    """Moves the running run to succeeded."""
    with transaction() as session:
        run = service.get_run(session=session, run_id=run_id)
        journal.move(session=session, job=run, from_state=JobState.RUNNING, to_state=JobState.SUCCEEDED, message="Done")
