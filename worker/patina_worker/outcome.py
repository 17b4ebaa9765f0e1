"""How a run ended, written once: state, image, device and lease in one transaction."""

import traceback
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import structlog
from sqlalchemy.orm import Session

from patina.delta import service as delta_service
from patina.device import lease
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.errors import PatinaError
from patina.image import service as image_service
from patina.run import journal, waiting
from patina.run.models import Run
from patina.run.state import RunState
from patina_worker import file_system, probe, uses
from patina_worker.capture import Captured
from patina_worker.failure import LOG_TAIL_CHARS
from patina_worker.generation import generation_of
from patina_worker.safety import Target, is_there

log = structlog.get_logger()


@dataclass(frozen=True)
class Outcome:
    """The final state of a run, and why."""

    state: RunState
    message: str
    error_code: str | None = None
    error_log: str | None = None
    captured: Captured | None = None
    has_written: bool = False  # to the device, which was what its user had confirmed


def succeeded(captured: Captured) -> Outcome:
    return Outcome(RunState.SUCCEEDED, "The image is in the catalog", captured=captured)


def canceled() -> Outcome:
    return Outcome(RunState.CANCELED, "Canceled; the device is unmounted and free, no image was made")


def interrupted(why: str) -> Outcome:
    return Outcome(RunState.INTERRUPTED, why)


def failed(error: PatinaError) -> Outcome:
    log = getattr(error, "log", "")
    return Outcome(RunState.FAILED, error.message, error_code=error.code, error_log=log or None)


def failed_by_bug(error: Exception) -> Outcome:
    """Not foreseen: the run ends with what there is to know."""
    text = "".join(traceback.format_exception(error))
    message = f"The worker failed unexpectedly: {type(error).__name__}: {error}"
    return Outcome(RunState.FAILED, message, error_code="internal", error_log=text[-LOG_TAIL_CHARS:])


@dataclass(frozen=True)
class DeviceAfter:
    """What a look at the device found once the run had ended."""

    condition: DeviceCondition
    reason: str | None
    holds: str | None
    facts: dict[str, object] | None  # DeviceFacts
    generation: str = ""  # of before the look; empty: not known
    uuid: str | None = None  # of the file system


def look_for(target: Target) -> DeviceAfter:
    """The device as it is now. It is lost if another one is at its path. The end of the work does not wait for a look
    that fails."""
    try:
        if not is_there(target):
            return _lost(target.path)
        generation = generation_of(target.path)
        return replace(look_at(target.path), generation=generation, uuid=file_system.uuid_on(target.path))
    except Exception as error:
        log.exception("device not looked at", path=target.path)  # a run must end whatever the look meets
        return DeviceAfter(DeviceCondition.PROTECTED, f"it could not be looked at ({error})", None, None)


def _lost(path: str) -> DeviceAfter:
    reason = f"no longer at {path}" if path else "no longer attached"
    return DeviceAfter(DeviceCondition.LOST, reason, None, None)


def look_at(path: str) -> DeviceAfter:
    """What is at the path now."""
    block = probe.find_device(path)
    if block is None:
        return _lost(path)
    seen = uses.look()
    reason = probe.why_in_use(block, seen)
    condition = DeviceCondition.READY if reason is None else DeviceCondition.PROTECTED
    contents = probe.contents_of(block)
    facts = probe.facts_of(block, contents, seen.mounts).model_dump(mode="json")
    return DeviceAfter(condition, reason, contents[block.path], facts)


def note_device(session: Session, device: Device, after: DeviceAfter, *, has_written: bool) -> None:
    """What was found, into its row. Whoever waits for the device was confirmed to destroy what this work left."""
    if has_written:
        waiting.confirm(session=session, device_id=device.id, holds=after.holds, generation=after.generation)
    device.generation = after.generation
    device.condition, device.condition_reason, device.holds = after.condition, after.reason, after.holds
    device.seen_at = datetime.now(UTC)


def record(*, session: Session, run_id: int, outcome: Outcome, after: DeviceAfter) -> None:
    """The end of the run. Call it in a transaction that holds the lease."""
    # Locked: a cancellation that comes now waits, and finds the run ended.
    run = session.get_one(Run, run_id, populate_existing=True, with_for_update={"of": Run})
    if run.state == RunState.CANCELING and outcome.state == RunState.INTERRUPTED:
        outcome = replace(outcome, state=RunState.CANCELED)  # nobody wants it to go on
    run.error_log = outcome.error_log
    if outcome.captured is not None:
        captured = outcome.captured
        image = image_service.publish(
            session=session,
            run=run,
            index_name=captured.index_name,
            capture=captured.summary,
            layout=captured.layout,
        )
        delta_service.hold(
            session=session, device_id=run.device_id, image_id=image.id, generation=captured.summary.generation
        )
    journal.move(
        session=session,
        run=run,
        from_state=run.state,
        to_state=outcome.state,
        message=outcome.message,
        error_code=outcome.error_code,
    )
    # Of a run whose process died: what is there is its own.
    is_its_own = after.uuid is not None and after.uuid == run.confirmed.get("own_uuid")
    has_written = outcome.has_written or is_its_own
    note_device(session, session.get_one(Device, run.device_id), after, has_written=has_written)
    session.flush()
    if run.lease_id is not None:
        lease.release(session=session, lease_id=run.lease_id)
