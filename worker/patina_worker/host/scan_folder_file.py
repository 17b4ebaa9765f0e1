"""The file of the folders that this host allows to be scanned: an absolute path a line, in the state folder.

It is the host's own, written by `patina-worker scan-folders`, and read again at each use, so that a change needs no
restart. No row of the database decides what the worker reads (decision 23).
"""

import fcntl
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from patina_worker.host import private_folder

NAME = "scan_folders"
MOST_BYTES = 64 * 1024
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class FileUntrusted(Exception):
    """Another account than root could have written the file."""


class FolderRefused(Exception):
    """The folder cannot be allowed, or taken back."""


def read(state_dir: Path) -> list[str]:
    """Returns the folders; none without the file. Raises FileUntrusted."""
    try:
        with _opened(state_dir) as folder:
            return _read(folder)
    except FileNotFoundError:
        return []
    except OSError as error:  # a link, a FIFO, a file in place of the folder
        raise FileUntrusted(f"{state_dir / NAME} cannot be read: {error.strerror}.") from error


def change(state_dir: Path, *, added: Sequence[str], removed: Sequence[str]) -> list[str]:
    """Adds and removes folders. Returns all that the file has now. Raises FileUntrusted, FolderRefused."""
    added = [_checked(path) for path in added]
    removed = [os.path.normpath(path) for path in removed]
    with _opened(state_dir) as folder:
        fcntl.flock(folder, fcntl.LOCK_EX)  # until it is closed
        try:
            before = _read(folder)
        except FileNotFoundError:
            before = []
        for path in removed:
            if path not in before:
                raise FolderRefused(f"{path} is not in {state_dir / NAME}. Folders of PATINA_SCAN_FOLDERS stay there.")
        after = list(dict.fromkeys(path for path in [*before, *added] if path not in removed))
        _write(folder, after)
    return after


def _checked(path: str) -> str:
    if not path.startswith("/") or not path.isprintable():
        raise FolderRefused(f"{path!r} is no absolute path of printable characters, such as /srv/projects.")
    if not os.path.isdir(path):
        raise FolderRefused(f"{path} is no folder of this machine.")
    return os.path.normpath(path)


@contextmanager
def _opened(state_dir: Path) -> Iterator[int]:
    """Yields a descriptor of the state folder. Who owns the worker's program may own it: that account can change what
    the worker does in any case. Raises FileUntrusted."""
    with private_folder.opened(state_dir) as folder:
        found = os.fstat(folder)
        if found.st_uid not in (os.geteuid(), Path(__file__).stat().st_uid) or found.st_mode & _OTHERS_WRITE:
            raise FileUntrusted(f"Other accounts than root can change {state_dir}: chmod it to 755, owned by root.")
        yield folder


def _read(folder: int) -> list[str]:
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(NAME, flags, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & _OTHERS_WRITE:
            raise FileUntrusted(f"Other accounts than root can change {NAME} in the state folder: chmod it to 600.")
        lines = file.read(MOST_BYTES).decode(errors="surrogateescape").splitlines()
    return list(dict.fromkeys(os.path.normpath(line) for line in lines if line.startswith("/")))


def _write(folder: int, folders: list[str]) -> None:
    """Writes the file atomically."""
    temporary = f"{NAME}.{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(temporary, flags, 0o600, dir_fd=folder), "w", encoding="utf-8") as file:
        file.writelines(f"{path}\n" for path in folders)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, NAME, src_dir_fd=folder, dst_dir_fd=folder)
