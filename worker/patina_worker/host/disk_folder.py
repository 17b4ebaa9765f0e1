"""The folder of an emulated disk: what the disk was made with, the emulator's output, the loop device, and the
emulator's own folder. No other account can write there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from patina.device.emulation import Emulation
from patina_worker.failure import EmulatorFailed
from patina_worker.host.private_folder import is_ours_alone, opened

READ_BYTES = 2**20
_ASKED, _ATTACHED = "emulation.json", "attached.json"


class Asked(BaseModel):
    """What an emulated disk was made with. A row does not change it."""

    model_config = ConfigDict(extra="forbid")

    size_bytes: int
    emulation: Emulation


class Attachment(BaseModel):
    """A loop device, and what tells it from a later one at the same path. The kernel says nothing of the file of one
    whose emulator has ended."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    disk_sequence: int
    boot_id: str

    @property
    def path(self) -> str:
        return f"/dev/{self.name}"


@contextmanager
def private(folder: Path) -> Iterator[int]:
    """Yields a descriptor of the folder. EmulatorFailed where that fails, or another account could have created a file
    there."""
    try:
        with opened(folder) as descriptor:
            if not is_ours_alone(descriptor):
                raise EmulatorFailed(
                    f"Folder {folder} belongs to another account, or others can write to it. Nothing was started. "
                    "Check its content, and remove it."
                )
            yield descriptor
    except OSError as error:
        raise EmulatorFailed(f"Folder {folder} cannot be used: {error.strerror}.") from error


def create(descriptor: int, name: str) -> int:
    """Returns a descriptor of an empty file in the folder."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_TRUNC
    return os.open(name, flags, 0o600, dir_fd=descriptor)


def read(folder: Path, name: str) -> str:
    """Returns the text of a file in the folder. EmulatorFailed."""
    with private(folder) as descriptor:
        node = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=descriptor)
        with os.fdopen(node, encoding="utf-8", errors="replace") as file:
            return file.read(READ_BYTES)


def note_asked(folder: Path, asked: Asked) -> None:
    """Writes what the disk is made with, once. EmulatorFailed."""
    with private(folder) as descriptor:
        if not _has_content(descriptor, _ASKED):
            _publish(descriptor, _ASKED, asked.model_dump_json())


def _has_content(descriptor: int, name: str) -> bool:
    with suppress(FileNotFoundError):
        return os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_size > 0
    return False


def _publish(descriptor: int, name: str, text: str) -> None:
    """Writes a file of the folder as a whole, or, after a kill or a power cut, not at all."""
    with os.fdopen(create(descriptor, f"{name}.new"), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(f"{name}.new", name, src_dir_fd=descriptor, dst_dir_fd=descriptor)
    os.fsync(descriptor)


def asked_of(folder: Path) -> Asked:
    """Returns what the disk was made with. EmulatorFailed."""
    try:
        return Asked.model_validate_json(read(folder, _ASKED))
    except ValidationError as error:
        raise EmulatorFailed(f"{folder / _ASKED} is damaged. Remove the device, and make a new one.") from error


def note_attached(folder: Path, path: str) -> None:
    """Writes which loop device is attached to the disk. EmulatorFailed."""
    attachment = _attachment(Path(path).name)
    with private(folder) as descriptor:
        _publish(descriptor, _ATTACHED, "" if attachment is None else attachment.model_dump_json())


def attached_to(folder: Path) -> str | None:
    """Returns the path of the loop device that was attached to the disk, if it still is."""
    try:
        noted = Attachment.model_validate_json(read(folder, _ATTACHED))
    except (EmulatorFailed, ValidationError):
        return None
    return noted.path if _attachment(noted.name) == noted else None


def _attachment(name: str) -> Attachment | None:
    """Returns the loop device of that name as it is attached now."""
    device = Path("/sys/block") / name
    if not name.startswith("loop") or not (device / "loop/backing_file").exists():
        return None
    try:
        return Attachment(
            name=name,
            disk_sequence=int((device / "diskseq").read_text(encoding="ascii")),
            boot_id=Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip(),
        )
    except OSError:  # detached meanwhile, or a kernel before 5.15
        return None
