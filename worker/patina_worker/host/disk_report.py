"""Reports emulated disks in their rows: the figures with each heartbeat, and the result of a fault."""

from datetime import UTC, datetime, timedelta

import structlog
from pydantic import ValidationError
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from patina.core.failure import StepFailed
from patina.db import transaction
from patina.device.emulation import Emulated, FaultRead
from patina.device.fault import FAULT_PATIENCE_S
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.errors import PatinaError
from patina.file_name import FileNameRefused
from patina.host.models import Host
from patina_worker.failure import EmulatorBusy
from patina_worker.host import emulator, sandbox

log = structlog.get_logger()


def report(host: Host) -> None:
    """Writes the figures of the host's emulated disks. Those of one whose emulator does not answer stay as they are."""
    with transaction() as session:
        rows = session.execute(
            select(Device.id, Device.stable_id, Device.medium).where(
                Device.host_id == host.id,
                Device.emulation.is_not(None),
                Device.condition.in_((DeviceCondition.READY, DeviceCondition.PROTECTED)),
            )
        ).all()
    for device_id, stable_id, medium in rows:
        found = figures(stable_id, medium)
        if found is not None:
            with transaction() as session:
                session.execute(update(Device).where(Device.id == device_id).values(emulated=found))


def figures(stable_id: str, medium: str | None) -> dict[str, object] | None:
    """Returns the figures of an emulated disk as its row has them; None if its emulator does not answer."""
    try:
        status = emulator.status(sandbox.backing_file(stable_id=stable_id, medium=medium))
    except (FileNameRefused, StepFailed) as error:
        log.warning("emulated disk does not answer", stable_id=stable_id, error=error.message)
        return None
    return Emulated(**status.model_dump(exclude={"type", "file"}), measured_at=datetime.now(UTC)).model_dump(
        mode="json"
    )


def send_fault(session: Session, device: Device) -> None:
    """Sends the fault that is asked of the row, if it was not sent; writes the result into the row, unless another one
    was asked meanwhile. One that was asked too long ago is not sent."""
    if device.fault is None:
        return
    try:
        asked = FaultRead.model_validate(device.fault)
    except ValidationError:
        log.warning("no valid fault in the row", device_id=device.id)
        return
    if asked.done_at is not None:
        return
    sent, error = device.fault, _sent(device, asked)
    found = figures(device.stable_id, device.medium)
    row = session.get(Device, device.id, with_for_update={"of": Device}, populate_existing=True)
    if row is None or row.fault != sent:
        return
    row.fault = asked.model_copy(update={"done_at": datetime.now(UTC), "error": error}).model_dump(mode="json")
    row.emulated = found or row.emulated


def _sent(device: Device, asked: FaultRead) -> str | None:
    """Returns why the fault is not in force, or not yet; None when it is."""
    if datetime.now(UTC) - asked.asked_at > timedelta(seconds=FAULT_PATIENCE_S):
        return f"It was not sent within {FAULT_PATIENCE_S} s, and not later. Ask again."
    try:
        emulator.inject(sandbox.backing_file(stable_id=device.stable_id, medium=device.medium), asked.fault)
    except EmulatorBusy as error:
        return f"{error.message} The fault may come into force later."
    except PatinaError as error:
        return error.message
    return None
