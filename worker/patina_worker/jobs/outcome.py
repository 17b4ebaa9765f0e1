"""The end of a job, written once: state, result, device and lease in one transaction."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace

from pydantic import BaseModel
from sqlalchemy.orm import Session

from patina.core.failure import LOG_TAIL_CHARS
from patina.device import lease
from patina.device.models import Device
from patina.errors import PatinaError
from patina.job import journal
from patina.job.kind import kind_of
from patina.job.models import Job
from patina.job.state import JobState
from patina_worker.host.device_row import DeviceAfter, note_device


@dataclass(frozen=True)
class Done:
    """A handler's success: a sentence, and the result, or a function that makes it when the job's end is written."""

    message: str
    result: BaseModel | Callable[[Session], BaseModel]


@dataclass(frozen=True)
class Outcome:
    """The final state of a job, and why."""

    state: JobState
    message: str
    error_code: str | None = None
    error_log: str | None = None
    done: Done | None = None
    has_written: bool = False  # to the confirmed device


def succeeded(done: Done) -> Outcome:
    return Outcome(JobState.SUCCEEDED, done.message, done=done)


def canceled(why: str) -> Outcome:
    return Outcome(JobState.CANCELED, why or "Canceled")


def interrupted(why: str) -> Outcome:
    return Outcome(JobState.INTERRUPTED, why or "The worker was stopped")


def failed(error: PatinaError) -> Outcome:
    log = getattr(error, "log", "")
    return Outcome(JobState.FAILED, error.message, error_code=error.code, error_log=log or None)


def failed_by_bug(error: Exception) -> Outcome:
    """Returns the outcome of an unexpected error, with its traceback."""
    text = "".join(traceback.format_exception(error))
    message = f"The worker failed unexpectedly: {type(error).__name__}: {error}"
    return Outcome(JobState.FAILED, message, error_code="internal", error_log=text[-LOG_TAIL_CHARS:])


def record(*, session: Session, job_id: int, outcome: Outcome, after: DeviceAfter | None) -> None:
    """Writes the end of the job. Call it in a transaction that holds its claim. `after`: of a job with a device."""
    # Locked: a request to stop that comes now waits, and finds the job ended.
    job = session.get_one(Job, job_id, populate_existing=True, with_for_update={"of": Job})
    if job.state == JobState.CANCELING and outcome.state == JobState.INTERRUPTED:
        outcome = replace(outcome, state=JobState.CANCELED)  # the user has asked for its end
    values: dict[str, object] = {}
    if outcome.done is not None:
        made = outcome.done.result
        result = made if isinstance(made, BaseModel) else made(session)
        assert isinstance(result, kind_of(job).result), f"not what a {job.kind} results in"
        values["result"] = result.model_dump(mode="json")
    journal.move(
        session=session,
        job=job,
        from_state=job.state,
        to_state=outcome.state,
        message=outcome.message,
        error_code=outcome.error_code,
        error_log=outcome.error_log,
        **values,
    )
    if after is not None and job.confirmed is not None:
        # A dead process did not report its writes: the file system's UUID proves them.
        is_its_own = after.uuid is not None and after.uuid == job.confirmed.get("own_uuid")
        has_written = outcome.has_written or is_its_own
        note_device(session, session.get_one(Device, job.device_id), after, has_written=has_written)
        session.flush()
    if job.lease_id is not None:
        lease.release(session=session, lease_id=job.lease_id)
