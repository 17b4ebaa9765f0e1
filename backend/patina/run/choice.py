"""Checks a run's settings against its device, file system and host, before anything is queued or written."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.core.contract.age import CaptureMode
from patina.device.memory import memory_needed_bytes, require_memory
from patina.device.models import Device
from patina.device.shingle import require_file_system, with_added
from patina.errors import PatinaError
from patina.figures import exactly_bytes, in_bytes
from patina.file_system import options
from patina.file_system.table import row_of
from patina.job.state import ENDED
from patina.run.models import Run
from patina.run.schemas import RunCreate

DeviceTooSmall = PatinaError.of("device_too_small", "The device is too small", status=409)
FileSystemMissing = PatinaError.of("file_system_missing", "The host lacks the file system", status=409)
CaptureModeUnsupported = PatinaError.of(
    "capture_mode_unsupported", "This file system cannot be captured so", status=422
)


def check(*, session: Session, device: Device, create: RunCreate) -> None:
    """Raises DiskIsShingled, OptionsRefused, FileSystemMissing, DeviceTooSmall, CaptureModeUnsupported or
    MemoryTooSmall."""
    require_file_system(device, create.file_system)
    options.require(create.file_system, *options_of(create, device))
    name, row = device.path or device.stable_id, row_of(create.file_system)
    why = device.host.lacks.get(create.file_system)
    if why is not None:
        raise FileSystemMissing(
            f"{name} cannot be aged with {create.file_system}: {why}. Choose another file system or a device of "
            "another host."
        )
    if device.size_bytes < row.least_device_bytes:
        raise DeviceTooSmall(
            f"{create.file_system} needs a device of {in_bytes(row.least_device_bytes)} or more; {name} has "
            f"{exactly_bytes(device.size_bytes)}. Choose another file system or a larger device."
        )
    why = row.refused_captures_on(drops_data=device.drops_data).get(capture_mode_of(create, device))
    if why is not None:
        raise CaptureModeUnsupported(f"{why} Choose another capture mode.")
    if create.in_memory:
        require_memory(
            needed_bytes=memory_needed_bytes(device.size_bytes, mode=create.mode, data_mode=create.data_mode),
            free_bytes=device.host.memory_free_bytes - _promised_bytes(session, device.host_id),
            what=f"{name} ({in_bytes(device.size_bytes)}) in mode {create.mode}, data mode {create.data_mode}",
            host_name=device.host.name,
        )


def options_of(create: RunCreate, device: Device) -> tuple[str, str]:
    """Returns the added options of mkfs and of mount, after those of a shingled disk: the recipe names all of them."""
    return with_added(device, create.added_mkfs_options, create.added_mount_options)


def capture_mode_of(create: RunCreate, device: Device) -> CaptureMode:
    """Returns the capture mode that was given, or the usual one: without the generated data of an emulated disk."""
    if "capture_mode" in create.model_fields_set or not device.drops_data:
        return create.capture_mode
    return "metadata"


def _promised_bytes(session: Session, host_id: int) -> int:
    """Returns the memory that open runs in memory on the host may take in all, including memory already taken."""
    others = session.execute(
        select(Device.size_bytes, Run.settings["mode"].as_string(), Run.settings["data_mode"].as_string())
        .join(Run, Run.device_id == Device.id)
        .where(Device.host_id == host_id, Run.settings["in_memory"].as_boolean(), Run.state.not_in(ENDED))
    )
    return sum(
        memory_needed_bytes(size_bytes, mode=mode, data_mode=data_mode) for size_bytes, mode, data_mode in others
    )
