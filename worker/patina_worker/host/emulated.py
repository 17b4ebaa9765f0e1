"""Emulated disks as sandbox devices: a folder, the emulator over it, and the loop device over what that serves."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from patina.core.failure import StepFailed
from patina.errors import PatinaError
from patina.settings import settings
from patina_worker.failure import EmulatorBusy, EmulatorFailed, SandboxFailed
from patina_worker.host import device_node, disk_folder, emulator, loop_device
from patina_worker.host.disk_folder import Asked
from patina_worker.host.loop_device import Loop, attached_loops
from patina_worker.host.private_folder import is_ours_alone, opened

SUFFIX = ".emu"
_POWER_CUT = "power_cut"


def is_emulated(place: Path) -> bool:
    """Returns whether the place of a sandbox device is the folder of an emulated disk."""
    return place.suffix == SUFFIX


def _label(folder: Path) -> str:
    """Returns the name that the loop device is given: the name that the kernel shows may lack its folder."""
    medium = "memory" if folder.parent == settings().memory_dir else "file"
    return f"{settings().memory_dir.name}/{medium}/{folder.name}"


def folders_in(parent: Path) -> list[Path]:
    """Returns the folders of emulated disks there; none where another account could have created some."""
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError), opened(parent) as descriptor:
        names = os.listdir(descriptor) if is_ours_alone(descriptor) else []
        return [parent / name for name in sorted(names) if is_emulated(parent / name)]
    return []


def attached(parents: tuple[Path, ...]) -> dict[Path, str]:
    """Returns the path of every emulated disk's loop device by its folder, also where its emulator has ended."""
    names = {_prefix(parent): parent for parent in parents}
    found: dict[Path, str] = {}
    for each in attached_loops():
        prefix, _, name = each.label.rpartition("/")
        if prefix in names and is_emulated(Path(name)):
            found.setdefault(names[prefix] / name, each.path)
    for folder in (folder for parent in parents for folder in folders_in(parent) if folder not in found):
        path = disk_folder.attached_to(folder)
        if path is not None:
            found[folder] = path
    return found


def _prefix(parent: Path) -> str:
    return _label(parent / "any").rpartition("/")[0]


def is_behind(loop: Loop, folder: Path) -> bool:
    """Returns whether the folder's emulator runs and serves the loop device's file."""
    if loop.label != _label(folder):
        return False
    try:
        served = emulator.find(folder)
    except EmulatorBusy:
        return True  # it runs
    return served is not None and loop.file == served.file_id


def is_busy(folder: Path) -> bool:
    """Returns whether the folder's emulator runs and does not answer."""
    try:
        emulator.find(folder)
    except EmulatorBusy:
        return True
    return False


def keep_paths(folder: Path, mount: Path) -> None:
    """Decides which data of the mounted file system stays as written. CoreFailed."""
    if disk_folder.asked_of(folder).emulation.kept_paths:
        emulator.keep_paths(folder, mount)


def make(folder: Path, asked: Asked) -> str:
    """Makes the disk, serves and attaches it; returns the loop device's path. Idempotent."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with opened(folder.parent) as descriptor:
            if not is_ours_alone(descriptor):
                raise SandboxFailed(
                    f"Folder {folder.parent} belongs to another account, or others can write to it. Nothing was made "
                    "there and nothing attached. Check its content, and remove it."
                )
            with suppress(FileExistsError):
                os.mkdir(folder.name, 0o700, dir_fd=descriptor)
    except OSError as error:
        raise SandboxFailed(f"Folder {folder} cannot be made: {error.strerror}.") from error
    try:
        disk_folder.note_asked(folder, asked)
    except EmulatorFailed as error:
        raise SandboxFailed(error.message) from error
    try:
        return attach(folder, patience_s=emulator.LONG_PATIENCE_S)
    except EmulatorBusy as error:
        raise SandboxFailed(error.message) from error


def attach(folder: Path, *, patience_s: float | None = None) -> str:
    """Returns the path of the loop device over the disk. Starts an emulator that does not run, or whose power was cut;
    the loop device over the earlier one is detached first. EmulatorBusy: nothing was changed. SandboxFailed."""
    loop = next((each for each in attached_loops() if each.label == _label(folder)), None)
    try:
        served = emulator.find(folder, patience_s=patience_s)
    except EmulatorFailed as error:
        raise SandboxFailed(error.message) from error
    is_cut = served is not None and any(fault.get("kind") == _POWER_CUT for fault in served.status.faults)
    if loop is not None and not is_cut and served is not None and loop.file == served.file_id:
        return loop.path
    before = disk_folder.attached_to(folder) if loop is None else loop.path
    try:
        if before is not None:
            with device_node.opened_alone(before):
                pass  # what it was used for has ended
            loop_device.detach(before)
        if is_cut:
            emulator.end(folder)
        return _attach(folder)
    except StepFailed as error:
        raise SandboxFailed(error.message, log=error.log) from error
    except PatinaError as error:
        raise SandboxFailed(error.message) from error
    except OSError as error:
        raise SandboxFailed(f"The emulated disk of {folder} cannot be opened: {error.strerror}.") from error


def _attach(folder: Path) -> str:
    """Starts the emulator if none runs, and attaches a loop device to the file that it serves."""
    descriptor = os.open(emulator.start(folder).file, os.O_RDWR | os.O_CLOEXEC)
    try:
        path = loop_device.attach(descriptor, _label(folder), is_direct=True)
    finally:
        os.close(descriptor)
    disk_folder.note_attached(folder, path)
    return path


def size_bytes(folder: Path) -> int:
    """Returns the size that the disk was made with; 0 if that is not known."""
    try:
        return disk_folder.asked_of(folder).size_bytes
    except EmulatorFailed:
        return 0


def available_bytes(folder: Path) -> int:
    """Returns the most that the disk may store here."""
    try:
        return disk_folder.asked_of(folder).emulation.available_bytes
    except EmulatorFailed:
        return 0  # nothing was made there


def end(folder: Path) -> None:
    """Ends the emulator of a disk that is no longer attached."""
    if folder.is_dir():
        emulator.end(folder)


def remove(folder: Path) -> None:
    """Ends the emulator and deletes the folder, if it exists; nothing in a folder that another account can write to."""
    end(folder)
    with suppress(FileNotFoundError, NotADirectoryError), opened(folder.parent) as parent:
        if is_ours_alone(parent):
            shutil.rmtree(folder.name, dir_fd=parent)
