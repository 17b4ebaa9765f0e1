"""Keeps the rows of this host's devices current: attached disks, sandbox devices, and their content."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import structlog
from sqlalchemy import ColumnElement, Exists, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from patina.db import transaction
from patina.device.models import Device, Lease
from patina.device.state import DeviceCondition
from patina.figures import exactly_bytes
from patina.file_name import FileNameRefused
from patina.host.models import Host
from patina_worker.failure import EmulatorBusy, SandboxFailed
from patina_worker.host import sandbox
from patina_worker.host.device_row import DeviceAfter, look_at
from patina_worker.host.disk_watch import Seen
from patina_worker.host.generation import generations_of
from patina_worker.host.write_check import is_allowed

log = structlog.get_logger()

# Conditions that only an observation decides; tasks move the others.
_TRIED_AGAIN = "It is tried again with each heartbeat."
_CLOCK_TOLERANCE = timedelta(minutes=1)
_OBSERVED = (DeviceCondition.READY, DeviceCondition.PROTECTED, DeviceCondition.LOST)


def attach_sandboxes(host: Host) -> None:
    """Attaches sandbox devices before the first task: after a reboot of the host their loop numbers change."""
    with transaction() as session:
        rows = session.scalars(
            select(Device).where(Device.host_id == host.id, Device.kind == "sandbox", Device.condition.in_(_OBSERVED))
        )
        for row in rows:
            try:
                file = sandbox.backing_file(stable_id=row.stable_id, medium=row.medium)
                row.path = sandbox.attach(file, known=row.path) if file.exists() else row.path
            except EmulatorBusy as error:  # it runs, so the host was not rebooted
                log.warning("emulated disk does not answer", device_id=row.id, error=error.message)
            except (FileNameRefused, SandboxFailed) as error:
                row.path = None
                log.warning("sandbox device not attached", device_id=row.id, error=error.message)


def refresh(host: Host, attached: list[Seen]) -> None:
    """Updates every row of the host: attached disks as they were seen, sandbox devices as they are."""
    with transaction() as session:
        _refresh_attached(session, host, attached)
    with transaction() as session:
        rows = session.scalars(
            select(Device).where(
                Device.host_id == host.id,
                Device.kind == "sandbox",
                Device.condition.in_(_OBSERVED),
                ~_is_leased(),
            )
        )
        listed = [(row.id, row.path or "", row.stable_id, row.medium, row.size_bytes) for row in rows]
    seen = [each for each in listed if not _is_busy(stable_id=each[2], medium=each[3])]  # a later round looks at it
    at = datetime.now(UTC)
    generations = generations_of([path for _, path, *_ in seen])  # before their content is read
    for device_id, before, stable_id, medium, size_bytes in seen:
        try:
            path, after = _look_at_sandbox(stable_id=stable_id, medium=medium, size_bytes=size_bytes, before=before)
        except EmulatorBusy as error:  # since a moment ago
            log.warning("emulated disk does not answer", device_id=device_id, error=error.message)
            continue
        generation = generations[before] if path == before else ""
        with transaction() as session:
            _observe(session, device_id, path, replace(after, generation=generation), at)


def _is_leased() -> Exists:
    return select(Lease.id).where(Lease.device_id == Device.id, Lease.released_at.is_(None)).exists()


def _is_older(at: datetime) -> ColumnElement[bool]:
    """Selects rows older than `at`: a job may have updated the row since. A later one is due to a clock set back."""
    return Device.seen_at.is_(None) | (Device.seen_at < at) | (Device.seen_at > at + _CLOCK_TOLERANCE)


def _observe(session: Session, device_id: int, path: str | None, after: DeviceAfter, at: datetime) -> None:
    """Writes the observation, unless a job has begun on the device meanwhile."""
    session.execute(
        update(Device)
        .where(Device.id == device_id, Device.condition.in_(_OBSERVED), ~_is_leased(), _is_older(at))
        .values(
            path=path,
            condition=after.condition,
            condition_reason=after.reason,
            facts=after.facts,
            holds=after.holds,
            generation=after.generation,
            seen_at=at,
        )
        .execution_options(synchronize_session=False)
    )


def _is_busy(*, stable_id: str, medium: str | None) -> bool:
    """Returns whether the device is an emulated disk whose emulator does not answer: opening it would block."""
    try:
        return sandbox.is_busy(sandbox.backing_file(stable_id=stable_id, medium=medium))
    except FileNameRefused:
        return False


def _look_at_sandbox(
    *, stable_id: str, medium: str | None, size_bytes: int, before: str
) -> tuple[str | None, DeviceAfter]:
    """Returns a sandbox device as it is, attached again after a reboot of the host. EmulatorBusy."""
    try:
        file = sandbox.backing_file(stable_id=stable_id, medium=medium)
    except FileNameRefused as error:
        return None, DeviceAfter(DeviceCondition.LOST, error.message, None, None)
    if not file.exists():
        where = "memory, which the host has lost since" if medium == "memory" else f"{file}, which is gone"
        return None, DeviceAfter(DeviceCondition.LOST, f"its content was in {where}; remove the device", None, None)
    if sandbox.size_of(file) != size_bytes:
        reason = f"its file {file} has {exactly_bytes(sandbox.size_of(file))} and not {exactly_bytes(size_bytes)}"
        return None, DeviceAfter(DeviceCondition.LOST, reason, None, None)
    try:
        path = sandbox.attach(file, known=before)
    except SandboxFailed as error:
        return None, DeviceAfter(DeviceCondition.LOST, f"{error.message} {_TRIED_AGAIN}", None, None)
    return path, look_at(path)


def _condition_of(seen: Seen) -> tuple[DeviceCondition, str | None]:
    reason = seen.why_in_use
    if reason is None and not is_allowed(seen.block.stable_id):
        reason = "not on this host's allow-list (PATINA_DEVICE_ALLOW)"
    return (DeviceCondition.READY if reason is None else DeviceCondition.PROTECTED), reason


def _refresh_attached(session: Session, host: Host, attached: list[Seen]) -> None:
    for seen in attached:
        block = seen.block
        condition, reason = _condition_of(seen)
        values = {
            "path": block.path,
            "model": block.model,
            "serial": block.serial,
            "size_bytes": block.size_bytes,
            "is_rotational": block.is_rotational,
            "condition": condition,
            "condition_reason": reason,
            "facts": seen.facts.model_dump(mode="json"),
            "holds": seen.holds,
            "generation": seen.generation,
            "seen_at": seen.at,
        }
        statement = insert(Device).values(host_id=host.id, stable_id=block.stable_id, kind="attached", **values)
        free = ~_is_leased() & _is_older(seen.at)
        session.execute(
            statement.on_conflict_do_update(index_elements=["host_id", "stable_id"], set_=values, where=free)
        )
    session.execute(
        update(Device)
        .where(
            Device.host_id == host.id,
            Device.kind == "attached",
            Device.stable_id.not_in([seen.block.stable_id for seen in attached]),
            Device.condition != DeviceCondition.LOST,
        )
        .values(condition=DeviceCondition.LOST, condition_reason="no longer attached")
        .execution_options(synchronize_session=False)
    )
