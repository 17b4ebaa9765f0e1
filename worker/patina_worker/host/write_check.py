"""Checks whether a device may be written to, right before the write and independent of its row and the interface."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from patina.delta.models import is_unwritten
from patina.device.models import Device
from patina.device.shingle import shingle_of
from patina.figures import exactly_bytes
from patina.run.service import DeviceProtected
from patina.settings import settings
from patina_worker.failure import DeviceChanged, DeviceMissing
from patina_worker.host import device_node, device_users, file_system, loop_device, probe, sandbox
from patina_worker.host.generation import generation_of
from patina_worker.host.probe import BlockDevice


@dataclass(frozen=True)
class Target:
    """The device of a job, with the identity that its user confirmed."""

    path: str
    kind: str
    medium: str | None
    stable_id: str
    size_bytes: int
    serial: str | None
    model: str | None
    holds: str | None  # the content that may be lost
    # Of an interrupted run: the UUIDs of the file system that it made or was about to, and of the one given up.
    own_uuid: str | None = None
    given_up_uuid: str | None = None
    given_up_generation: str = ""  # of the device before the run's first write
    disk_sequence: int | None = None  # of a disk without another identity
    is_emulated: bool = False
    drops_data: bool = False  # an emulated disk that generates the data of files
    shingle_mount_options: str = ""  # of SMRfs on a shingled disk
    # When it was confirmed, or when the preceding job ended; empty: not known.
    generation: str = ""


def target_of(device: Device, confirmed: dict[str, Any]) -> Target:
    """Returns the device of a row with the identity that its user confirmed."""
    shingle = shingle_of(device)
    return Target(
        path=device.path or "",
        kind=device.kind,
        medium=device.medium,
        stable_id=confirmed["stable_id"],
        size_bytes=confirmed["size_bytes"],
        serial=confirmed["serial"],
        model=device.model,
        holds=confirmed.get("holds"),
        own_uuid=confirmed.get("own_uuid"),
        given_up_uuid=confirmed.get("given_up_uuid"),
        given_up_generation=confirmed.get("given_up_generation", ""),
        disk_sequence=confirmed.get("disk_sequence"),
        is_emulated=device.emulation is not None,
        drops_data=device.drops_data,
        shingle_mount_options="" if shingle is None else shingle.mount_options,
        generation=confirmed.get("generation", ""),
    )


def is_allowed(stable_id: str) -> bool:
    """Returns whether this host's settings allow an attached device to be aged."""
    return any(fnmatchcase(stable_id, glob) for glob in settings().device_allow_globs)


def is_there(target: Target) -> bool:
    """Returns whether the device at the path is the one that was confirmed."""
    block = probe.find_device(target.path)
    if block is None:
        return False
    try:
        _check_identity(target, block)
    except DeviceChanged:
        return False
    return True


def check_may_write(target: Target) -> None:
    """Raises DeviceMissing, DeviceChanged, DeviceProtected or DeviceBusy unless the device may be written to."""
    block = probe.find_device(target.path)
    if block is None:
        raise DeviceMissing(f"There is no block device at {target.path}. Was it detached?")
    _check_identity(target, block)
    reason = probe.why_in_use(block, device_users.look())
    if reason is not None:
        raise DeviceProtected(f"Device {target.path} is protected: {reason}. Patina does not write to it.")
    if target.kind != "sandbox" and not is_allowed(target.stable_id):
        raise DeviceProtected(
            f"Device {target.path} ({target.stable_id}) is not on this host's allow-list. "
            "An administrator can add it to PATINA_DEVICE_ALLOW."
        )
    with device_node.opened_alone(target.path):
        pass  # the kernel confirms that no other process uses it


def check_may_destroy(target: Target) -> None:
    """Raises DeviceChanged unless the device is blank, or holds the content whose loss its user confirmed, or the file
    system that the interrupted run itself made."""
    holds = probe.holds(target.path, target.size_bytes)
    found = file_system.uuid_on(target.path) if target.own_uuid is not None else None
    if found is None or found != target.own_uuid:
        check_is_the_disk_that_was_seen(target)
        check_is_as_it_was_confirmed(target)
    if holds is None:
        return
    is_given_up = holds == target.holds
    if target.own_uuid is not None:  # the type alone does not identify a file system
        is_given_up = found == target.own_uuid or (is_given_up and _is_what_was_given_up(target, found))
    if not is_given_up:
        confirmed = "that it is blank" if target.holds is None else f"the loss of {target.holds}"
        raise DeviceChanged(
            f"{target.path} holds {holds} now; confirmed was {confirmed}. Nothing was written. Look at the devices "
            "again, and confirm what they hold."
        )


def _is_what_was_given_up(target: Target, uuid: str | None) -> bool:
    """Compares content of the same type by its UUID, or by the absence of writes since."""
    if uuid is not None:
        return uuid == target.given_up_uuid
    before = target.given_up_generation
    return bool(before) and is_unwritten(before, generation_of(target.path))


def check_is_as_it_was_confirmed(target: Target) -> None:
    """Raises DeviceChanged where the device was written to since: content of the same type may still differ."""
    if target.generation and not is_unwritten(target.generation, generation_of(target.path)):
        raise DeviceChanged(
            f"{target.path} was written to, or attached anew, since it was confirmed. Nothing was written. Look at the "
            "devices again, and confirm what they hold."
        )


def check_is_the_disk_that_was_seen(target: Target) -> None:
    """Raises DeviceChanged for a disk that only the kernel's sequence number identifies, when that has changed."""
    block = probe.find_device(target.path)
    if target.disk_sequence is not None and (block is None or block.disk_sequence != target.disk_sequence):
        raise DeviceChanged(
            f"{target.path} was detached since it was confirmed, and it has no serial number that identifies the "
            "disk. Nothing was written. Look at the devices again, and confirm."
        )


def _check_identity(target: Target, block: BlockDevice) -> None:
    """Raises DeviceChanged unless the device at the path is the one that was confirmed."""
    if target.kind == "sandbox":
        _check_backing_file(target, block)
    elif (block.stable_id, block.serial) != (target.stable_id, target.serial):
        raise DeviceChanged(
            f"{target.path} is now {block.stable_id}, serial {block.serial}; confirmed was {target.stable_id}, "
            f"serial {target.serial}. Look at the devices again."
        )
    if block.size_bytes != target.size_bytes:
        raise DeviceChanged(
            f"{target.path} has {exactly_bytes(block.size_bytes)} now; confirmed were "
            f"{exactly_bytes(target.size_bytes)}. Look at the devices again."
        )


def _check_backing_file(target: Target, block: BlockDevice) -> None:
    expected = sandbox.backing_file(stable_id=target.stable_id, medium=target.medium)
    found = loop_device.find_loop(block.path)
    actual = "no loop device's file" if found is None else found.shown
    if found is None or not sandbox.is_behind(found, expected):
        raise DeviceChanged(
            f"{target.path} is not sandbox device {target.stable_id}: behind it is {actual}, not {expected}. "
            "Look at the devices again."
        )
