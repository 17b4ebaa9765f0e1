"""Examines a device after work on it has ended, and updates its row."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import structlog
from sqlalchemy.orm import Session

from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.job import waiting
from patina_worker.host import device_users, disk_report, file_system, probe
from patina_worker.host.generation import generation_of
from patina_worker.host.write_check import Target, is_there

log = structlog.get_logger()


@dataclass(frozen=True)
class DeviceAfter:
    """The device as found after the job had ended."""

    condition: DeviceCondition
    reason: str | None
    holds: str | None
    facts: dict[str, object] | None  # DeviceFacts
    generation: str = ""  # before the examination; empty: not known
    uuid: str | None = None  # of the file system
    emulated: dict[str, object] | None = None  # Emulated; None: no emulated disk, or it does not answer


def look_for(target: Target) -> DeviceAfter:
    """Returns the device as it is now, lost if another one is at its path. Never raises: the job must end."""
    try:
        if not is_there(target):
            return _lost(target.path)
        generation = generation_of(target.path)
        after = look_at(target.path)
        figures = disk_report.figures(target.stable_id, target.medium) if target.is_emulated else None
        return replace(after, generation=generation, uuid=file_system.uuid_on(target.path), emulated=figures)
    except Exception as error:
        log.exception("device not examined", path=target.path)  # the job must end all the same
        return DeviceAfter(DeviceCondition.PROTECTED, f"it could not be examined ({error})", None, None)


def _lost(path: str) -> DeviceAfter:
    reason = f"no longer at {path}" if path else "no longer attached"
    return DeviceAfter(DeviceCondition.LOST, reason, None, None)


def look_at(path: str) -> DeviceAfter:
    """Returns the device at the path."""
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
    """Writes the findings into the row. A waiting job's confirmation is extended to the content that this job left."""
    if has_written:
        waiting.confirm(session=session, device_id=device.id, holds=after.holds, generation=after.generation)
    device.generation = after.generation
    device.condition, device.condition_reason, device.holds = after.condition, after.reason, after.holds
    device.seen_at = datetime.now(UTC)
    if after.emulated is not None:
        device.emulated = after.emulated
