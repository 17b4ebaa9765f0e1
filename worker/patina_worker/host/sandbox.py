"""Sandbox devices: loop devices over Patina's sparse files, or over emulated disks, on disk or in memory (tmpfs).

The place of one is its file, or the folder of an emulated disk."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from patina.device.emulation import Emulation
from patina.figures import in_bytes
from patina.file_name import FileNameRefused, file_below
from patina.settings import settings
from patina_worker.failure import LoopFailed, SandboxFailed
from patina_worker.host import emulated, loop_device
from patina_worker.host.disk_folder import Asked
from patina_worker.host.loop_device import Loop, attached_loops, file_id
from patina_worker.host.private_folder import is_ours_alone, opened

_PREFIX = "sandbox-"
_DELETED = " (deleted)"  # the kernel's mark


def folders() -> tuple[Path, Path]:
    """Returns the only two folders of backing files."""
    return settings().sandbox_dir, settings().memory_dir


def backing_file(*, stable_id: str, medium: str | None) -> Path:
    """Returns the file behind a sandbox device, or the folder of an emulated disk, by its stable id. FileNameRefused,
    also for a run's file in memory."""
    in_file, in_memory = folders()
    file = file_below(in_memory if medium == "memory" else in_file, f"{stable_id}.img")
    if not _is_sandbox(file):
        raise FileNameRefused(f"{stable_id!r} is no sandbox device's. It begins with {_PREFIX}.")
    folder = file.with_suffix(emulated.SUFFIX)
    return folder if folder.is_dir() else file


def files_in(folder: Path) -> list[Path]:
    """Returns the backing files there; none where another account could have created some."""
    return [folder / name for name in sorted(_ids_in(folder))]


def _ids_in(folder: Path) -> dict[str, tuple[str, int]]:
    """Returns the identity of each backing file, as in `Loop.file`, by name."""
    ids = {}
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError), opened(folder) as descriptor:
        for name in os.listdir(descriptor) if is_ours_alone(descriptor) else []:
            with suppress(FileNotFoundError):  # removed meanwhile
                if name.endswith(".img"):
                    ids[name] = file_id(os.stat(name, dir_fd=descriptor, follow_symlinks=False))
    return ids


def attached() -> dict[Path, str]:
    """Returns the path of every sandbox's loop device, by backing file. A deleted file is found by its marked name."""
    files = {found: folder / name for folder in folders() for name, found in _ids_in(folder).items()}
    found: dict[Path, str] = {}
    for each in attached_loops():
        file, shown = files.get(each.file), Path(each.shown)
        if file is None and shown.name.endswith(_DELETED):
            file = next((folder / shown.name for folder in folders() if _may_be(shown.parent, folder)), None)
        if file is not None:
            found.setdefault(file, each.path)
    return found | emulated.attached(folders())


def keep_paths(path: str, mount: Path) -> None:
    """Decides on the kept paths of the file system mounted there, if the device is an emulated disk that has some."""
    folder = next((found for found, at in emulated.attached(folders()).items() if at == path), None)
    if folder is not None:
        emulated.keep_paths(folder, mount)


def is_behind(loop: Loop, place: Path) -> bool:
    """Returns whether the place is what the loop device is attached to, and it can be read."""
    if emulated.is_emulated(place):
        return emulated.is_behind(loop, place)
    return place.exists() and loop.file == loop_device.file_id(place.lstat())


def is_busy(place: Path) -> bool:
    """Returns whether the place is that of an emulated disk whose emulator runs and does not answer."""
    return emulated.is_emulated(place) and emulated.is_busy(place)


def _may_be(shown: Path, folder: Path) -> bool:
    """Returns whether the shown folder may be `folder`. The one in memory has a name unique to the installation."""
    return shown == folder or (folder == settings().memory_dir and shown.name == folder.name)


@contextmanager
def backing(file: Path, *, make: bool = False) -> Iterator[int]:
    """Opens the backing file for reading and writing. SandboxFailed where that fails, or where another account could
    have created it: writes to the device would go to that account's file."""
    try:
        if make:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with opened(file.parent) as folder:
            if not is_ours_alone(folder):
                raise SandboxFailed(
                    f"Folder {file.parent} belongs to another account, or others can write to it. Nothing was made "
                    "there and nothing attached. Check its content, and remove it."
                )
            flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if make else 0)
            descriptor = os.open(file.name, flags, 0o600, dir_fd=folder)
    except OSError as error:
        raise SandboxFailed(f"Backing file {file} cannot be opened: {error.strerror}.") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def attach(file: Path, *, known: str | None = None) -> str:
    """Returns the path of the loop device over `file`, attaching it if needed: `known`, if it still is one, since
    another program may have attached a second one. EmulatorBusy, SandboxFailed."""
    if emulated.is_emulated(file):
        return emulated.attach(file)
    loop = None if known is None else loop_device.find_loop(known)
    if loop is not None and is_behind(loop, file):
        return loop.path
    existing = attached().get(file)
    if existing is not None:
        return existing
    with backing(file) as descriptor:
        return _attach(descriptor, file)


def _attach(descriptor: int, file: Path) -> str:
    try:
        return loop_device.attach(descriptor, str(file))
    except LoopFailed as error:
        raise SandboxFailed(error.message) from error


def make(*, stable_id: str, medium: str | None, size_bytes: int, emulation: Emulation | None = None) -> str:
    """Makes the sparse file or the emulated disk and attaches it; returns the loop device's path. Idempotent."""
    file = backing_file(stable_id=stable_id, medium=medium)
    _require_quota(file, size_bytes if emulation is None else emulation.available_bytes)
    if emulation is not None:
        asked = Asked(size_bytes=size_bytes, emulation=emulation)
        return emulated.make(file.with_suffix(emulated.SUFFIX), asked)
    with backing(file, make=True) as descriptor:
        try:
            os.ftruncate(descriptor, size_bytes)
        except OSError as error:
            raise SandboxFailed(f"Backing file {file} cannot be made: {error.strerror}.") from error
    return attach(file)


def _require_quota(file: Path, size_bytes: int) -> None:
    """Raises SandboxFailed above the quota. The API checks it too, but a row does not bind this host."""
    files = [other for folder in folders() for other in files_in(folder) if _is_sandbox(other)]
    disks = [other for folder in folders() for other in emulated.folders_in(folder)]
    used_bytes = sum(other.lstat().st_size for other in files if other.stem != file.stem)
    used_bytes += sum(emulated.available_bytes(other) for other in disks if other.stem != file.stem)
    if used_bytes + size_bytes > settings().sandbox_quota_bytes:
        raise SandboxFailed(
            f"Sandbox devices of this host hold {in_bytes(used_bytes)}; {in_bytes(size_bytes)} more would exceed its "
            f"quota of {in_bytes(settings().sandbox_quota_bytes)} (PATINA_SANDBOX_QUOTA_BYTES)."
        )


def _is_sandbox(file: Path) -> bool:
    return file.name.startswith(_PREFIX)


def size_of(place: Path) -> int:
    """Returns the size of the sandbox device at the place."""
    return emulated.size_bytes(place) if emulated.is_emulated(place) else place.stat().st_size


def detach(path: str) -> None:
    """Detaches a loop device; SandboxFailed while it is in use."""
    try:
        loop_device.detach(path)
    except LoopFailed as error:
        raise SandboxFailed(error.message, log=error.log) from error


def remove(*, stable_id: str, medium: str | None) -> None:
    """Detaches the device and deletes its file. Idempotent."""
    file = backing_file(stable_id=stable_id, medium=medium)
    path = attached().get(file)
    if path is not None:
        detach(path)
    remove_file(file)


def remove_file(file: Path) -> None:
    """Deletes a backing file or an emulated disk, if it exists; nothing in a folder that another account can write
    to."""
    if emulated.is_emulated(file):
        emulated.remove(file)
        return
    with suppress(FileNotFoundError, NotADirectoryError), opened(file.parent) as folder:
        if is_ours_alone(folder):
            os.unlink(file.name, dir_fd=folder)
