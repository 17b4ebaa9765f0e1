"""Finds devices; makes and removes sandbox devices."""

import re
import secrets
from datetime import UTC, datetime, timedelta

from sqlalchemy import BigInteger, func, select
from sqlalchemy.orm import Session, contains_eager, joinedload, lazyload

from patina.account.visibility import viewer
from patina.db import take_turn
from patina.device import lease
from patina.device.emulation import DEFAULT_AVAILABLE_BYTES, Emulation, EmulationCreate
from patina.device.memory import MemoryTooSmall, memory_needed_bytes
from patina.device.modelled import modelled_disk, require_fits
from patina.device.models import Device, Lease
from patina.device.schemas import SandboxCreate
from patina.device.shingle import require_room
from patina.device.state import DeviceCondition
from patina.device.users import require_usable
from patina.errors import NotFound, PatinaError
from patina.figures import in_bytes
from patina.host import service as host_service
from patina.host.models import Host
from patina.queue import enqueue

# Columns shown of a device's host; listings load no others.
SAID_OF_HOST = (Host.name, Host.heartbeat_at, Host.is_healthy, Host.lacks, Host.memory_free_bytes)
_THERE = (
    select(Device)
    .join(Device.host)
    .options(contains_eager(Device.host).load_only(*SAID_OF_HOST), joinedload(Device.active_lease))
    .where(Device.condition != DeviceCondition.REMOVED, Host.removed_at.is_(None))
)
# For whom some jobs are hidden: the jobs that hold devices, which say who sees the holder.
_WITH_HOLDERS = _THERE.options(joinedload(Device.active_lease).selectinload(Lease.job).options(lazyload("*")))
# Bytes of its host that a sandbox device may take.
_TAKEN_BYTES = func.coalesce(Device.emulation["available_bytes"].astext.cast(BigInteger), Device.size_bytes)

DeviceUnknown = NotFound.of("device_unknown", "No such device")
SandboxQuotaExceeded = PatinaError.of("sandbox_quota_exceeded", "No room for another sandbox device", status=409)
NotASandbox = PatinaError.of("not_a_sandbox", "Not a sandbox device", status=409)


def list_devices(*, session: Session) -> list[Device]:
    """Returns the devices that are not removed: sandbox devices first, then by path, loop2 before loop11. Removed ones
    keep their rows."""
    return sorted(session.scalars(_THERE if viewer() is None else _WITH_HOLDERS), key=_place)


def _place(device: Device) -> tuple[bool, list[int | str], int]:
    parts = re.split(r"(\d+)", device.path or "~")
    return device.kind != "sandbox", [int(part) if part.isdigit() else part for part in parts], device.id


def get_device(*, session: Session, device_id: int) -> Device:
    """Returns the device. Raises DeviceUnknown."""
    device = session.get(Device, device_id)
    if device is None:
        raise DeviceUnknown(f"There is no device {device_id}. It may have been removed; look at the list of devices.")
    return device


def _check_room(session: Session, host: Host, *, taken_bytes: int, needed_bytes: int) -> None:
    """Raises SandboxQuotaExceeded for bytes beyond the quota, MemoryTooSmall for more memory than is free. Serializes
    concurrent requests of a host."""
    take_turn(session, f"sandbox devices of host {host.id}")
    used_bytes = session.scalar(
        select(func.coalesce(func.sum(_TAKEN_BYTES), 0)).where(
            Device.host_id == host.id,
            Device.kind == "sandbox",
            Device.condition.not_in((DeviceCondition.FAILED, DeviceCondition.REMOVED)),
        )
    )
    if used_bytes is None or used_bytes + taken_bytes > host.sandbox_quota_bytes:
        raise SandboxQuotaExceeded(
            f"Sandbox devices of host {host.name} hold {in_bytes(used_bytes or 0)}; {in_bytes(taken_bytes)} more "
            f"would exceed its quota of {in_bytes(host.sandbox_quota_bytes)}. Remove a sandbox device, or raise "
            "PATINA_SANDBOX_QUOTA_BYTES on that host."
        )
    if needed_bytes > host.memory_free_bytes:
        raise MemoryTooSmall(
            f"The device takes {in_bytes(needed_bytes)} of memory or more; host "
            f"{host.name} can give {in_bytes(max(host.memory_free_bytes, 0))} now. Make a smaller one, or one in "
            "a file."
        )


def make_sandbox(*, session: Session, create: SandboxCreate) -> Device:
    """Adds a row in condition `creating`, and queues the work of the host's worker."""
    host = host_service.get_host(session=session, name=create.host_name)
    host_service.require_heard(host)
    emulation = None if create.emulation is None else _chosen(create.emulation, create.size_bytes)
    if create.shingle is not None:
        require_room(create.shingle, create.size_bytes)
    taken_bytes = create.size_bytes if emulation is None else emulation.available_bytes
    needed_bytes = memory_needed_bytes(taken_bytes) if create.medium == "memory" else 0
    _check_room(session, host, taken_bytes=taken_bytes, needed_bytes=needed_bytes)
    device = Device(
        host=host,
        stable_id=f"sandbox-{secrets.token_hex(4)}",
        kind="sandbox",
        name=create.name,
        medium=create.medium,
        model=f"{_kind_of(create, emulation)} in {'a file' if create.medium == 'file' else 'memory'}",
        emulation=None if emulation is None else emulation.model_dump(mode="json"),
        shingle=None if create.shingle is None else create.shingle.model_dump(mode="json"),
        size_bytes=create.size_bytes,
        is_rotational=False,
        condition=DeviceCondition.CREATING,
        expires_at=None if create.expires_in_s is None else datetime.now(UTC) + timedelta(seconds=create.expires_in_s),
    )
    session.add(device)
    session.flush()
    enqueue(session, "make_sandbox", device.id, host_name=host.name)
    return device


def _kind_of(create: SandboxCreate, emulation: Emulation | None) -> str:
    is_shingled = create.shingle is not None
    if emulation is None:
        return "Shingled disk" if is_shingled else "Sandbox"
    kind = "Emulated shingled disk" if is_shingled else "Emulated disk"
    return kind if emulation.model_label is None else f"{kind} ({emulation.model_label})"


def _chosen(create: EmulationCreate, size_bytes: int) -> Emulation:
    """Returns what is asked, with the defaults. Raises DiskModelUnknown, DiskModelTooSmall."""
    modelled = modelled_disk(create)
    if modelled is not None:
        require_fits(modelled, size_bytes)
    default_bytes = size_bytes if create.keeps_all else min(size_bytes, DEFAULT_AVAILABLE_BYTES)
    asked = create.model_dump() | {"available_bytes": create.available_bytes or default_bytes}
    return Emulation(**asked, model_label=modelled and modelled.label)


def name_device(*, session: Session, device_id: int, name: str | None) -> Device:
    """Gives the device a name, or takes it away. Raises DeviceUnknown, DeviceNotYours."""
    device = get_device(session=session, device_id=device_id)
    require_usable(device)
    device.name = name
    session.flush()
    return device


def remove_sandbox(*, session: Session, device_id: int) -> Device:
    """Marks it `removing`, leased so that no other job starts on it, and queues the work of the host's worker."""
    device = get_device(session=session, device_id=device_id)
    require_usable(device)
    if device.kind != "sandbox":
        raise NotASandbox(
            f"Device {device.path} is attached hardware, not a sandbox device. Patina does not remove it."
        )
    if device.condition != DeviceCondition.REMOVING:
        lease.acquire(session=session, device=device, holder="its removal")
        device.condition = DeviceCondition.REMOVING
        session.flush()
    session.refresh(device)
    enqueue(session, "remove_sandbox", device.id, host_name=device.host.name)
    return device


def remove_expired_sandboxes(*, session: Session, host_id: int) -> list[int]:
    """Marks the host's expired, unleased sandbox devices as `removing`. Returns their ids."""
    expired = session.scalars(
        select(Device).where(
            Device.host_id == host_id,
            Device.kind == "sandbox",
            Device.expires_at < func.now(),
            Device.condition.in_((DeviceCondition.READY, DeviceCondition.LOST, DeviceCondition.FAILED)),
            ~select(Lease.id).where(Lease.device_id == Device.id, Lease.released_at.is_(None)).exists(),
        )
    ).all()
    for device in expired:
        remove_sandbox(session=session, device_id=device.id)
    return [device.id for device in expired]
