"""Faults that users ask of emulated disks. The host's worker sends them to the emulator."""

from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.account.visibility import NotYours, is_changeable
from patina.core.contract.emulate import EndsEarly, Fault, ReadError, WriteError
from patina.device.emulation import FaultRead
from patina.device.models import Device
from patina.device.service import get_device
from patina.device.state import DeviceCondition
from patina.device.users import require_usable
from patina.errors import PatinaError
from patina.figures import exactly_bytes
from patina.host import service as host_service
from patina.queue import enqueue

# A fault that was not sent in this time is not sent at all: it would come as a surprise.
FAULT_PATIENCE_S = 60

NotEmulated = PatinaError.of("not_emulated", "Not an emulated disk", status=409)
DiskNotReady = PatinaError.of("disk_not_ready", "The emulated disk is not ready", status=409)
FaultOutOfRange = PatinaError.of("fault_out_of_range", "The fault is outside the disk", status=422)
FaultPending = PatinaError.of("fault_pending", "Another fault is being sent", status=409)


def inject_fault(*, session: Session, device_id: int, fault: Fault) -> Device:
    """Stores the fault, and queues its sending. Raises NotEmulated, DeviceNotYours, NotYours, FaultOutOfRange,
    FaultPending, HostLost."""
    device = get_device(session=session, device_id=device_id)
    session.scalar(select(Device.id).where(Device.id == device_id).with_for_update())
    session.refresh(device)
    require_usable(device)
    if device.emulation is None:
        raise NotEmulated(f"Device {device.called} is not emulated. Make an emulated disk: faults are for those alone.")
    host_service.require_heard(device.host)
    _require_ready(device)
    _require_holder_changeable(device)
    _require_within(device, fault)
    device.fault = FaultRead(fault=fault, asked_at=datetime.now(UTC), done_at=None, error=None).model_dump(mode="json")
    session.flush()
    enqueue(session, "inject_fault", device.id, host_name=device.host.name)
    return device


def _require_ready(device: Device) -> None:
    if device.condition in (DeviceCondition.CREATING, DeviceCondition.FAILED, DeviceCondition.REMOVING):
        raise DiskNotReady(f"Device {device.called} is {device.condition}. Faults are for one that is ready.")
    before = device.fault and FaultRead.model_validate(device.fault)
    if before and before.done_at is None and (datetime.now(UTC) - before.asked_at).total_seconds() < FAULT_PATIENCE_S:
        raise FaultPending(
            f"The fault {before.fault.kind} is being sent to device {device.called}. Wait until the device shows its "
            "result, then try again."
        )


def _require_holder_changeable(device: Device) -> None:
    """A fault may end the job that holds the device: who may not stop it may not do this."""
    held = device.active_lease
    if held is not None and held.job is not None and not is_changeable(held.job):
        raise NotYours(
            f"Device {device.called} is held by {held.seen_holder}, which another account started, and a fault could "
            "end it. Its account, its team and operators may do this."
        )


def _require_within(device: Device, fault: Fault) -> None:
    end = 0
    if isinstance(fault, ReadError | WriteError):
        end = fault.first_byte + fault.length_bytes
    elif isinstance(fault, EndsEarly):
        end = fault.size_bytes
    if end > device.size_bytes:
        raise FaultOutOfRange(
            f"The fault {fault.kind} reaches to {exactly_bytes(end)}, and device {device.called} has "
            f"{exactly_bytes(device.size_bytes)}. Choose a range inside it."
        )
