"""The device once work on it has ended: what a look at it finds, into its row."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import structlog
from sqlalchemy.orm import Session

from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.run import waiting
from patina_worker.host import device_users, file_system, probe
from patina_worker.host.generation import generation_of
from patina_worker.host.write_check import Target, is_there

log = structlog.get_logger()


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
    seen = device_users.look()
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
