"""The file system of a run: made by a pinned recipe, mounted, unmounted and checked."""

import errno
import hashlib
import os
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from patina.core.contract.way import AgingMode
from patina.file_system.table import row_of
from patina_worker.failure import FsckFailed, MkfsFailed, MountFailed, UnmountFailed
from patina_worker.host import mounts
from patina_worker.host.ways import mode_mount_options
from patina_worker.tools.run import MOUNT_TIMEOUT_S, run_tool

UNMOUNT_TRIES = 40
UNMOUNT_PAUSE_S = 0.25
FREE_PATIENCE_S = 30.0
MKFS_TIMEOUT_S = 3600
CHECK_TIMEOUT_S = 3600
_PLAIN = "noatime,nodiscard,nodev,nosuid,noexec"


def uuid_of_seed(seed: int) -> str:
    """The UUID, and ext4's hash seed: from the run's seed, so that the same run gives the same directories."""
    return str(uuid.UUID(bytes=hashlib.sha256(f"patina file system {seed}".encode()).digest()[:16], version=4))


@dataclass(frozen=True)
class Made:
    """What mkfs was told, and what it made of it."""

    command: list[str]
    features: list[str]
    uuid: str


def mount_options(name: str, mode: AgingMode) -> str:
    """With what it is mounted to be aged."""
    parts = [_PLAIN, row_of(name).mount_options, mode_mount_options(name, mode)]
    return ",".join(part for part in parts if part)


def new_uuid(name: str, seed: int) -> str:
    """The UUID of the file system that a run with that seed makes now."""
    return uuid_of_seed(seed) if row_of(name).has_uuid_of_seed else str(uuid.uuid4())


def make(name: str, path: str, *, size_bytes: int, fs_uuid: str, lock: int) -> Made:
    """Make the file system with that UUID, or MkfsFailed."""
    row = row_of(name)
    command = [*row.mkfs(fs_uuid, size_bytes), path]
    done = run_tool(command, timeout_s=MKFS_TIMEOUT_S, inherit=(lock,))
    if done.returncode != 0:
        raise MkfsFailed(f"{command[0]} on {path} ended with {done.returncode}. See its output below.", log=done.output)
    described = run_tool([*row.describe, path])
    features = {word for found in row.features.findall(described.stdout) for word in re.findall(r"\w+", found)}
    if not features:
        raise MkfsFailed(f"{path} has no {name} after {command[0]} said that it had made one.", log=described.output)
    return Made(command=command, features=sorted(features), uuid=fs_uuid)


def uuid_on(path: str) -> str | None:
    """The UUID of the file system that the device holds now; None where there is none."""
    done = run_tool(["blkid", "-p", "-o", "value", "-s", "UUID", path])
    return done.stdout.strip() or None


def is_cut_short(name: str, path: str) -> bool:
    """Whether it was mounted without a journal and not unmounted: there is nothing to replay. A file system with a
    journal replays it, and is never cut short."""
    row = row_of(name)
    return row.unmounted is not None and not row.unmounted.search(run_tool([*row.describe, path]).stdout)


@contextmanager
def mounted(name: str, path: str, folder: Path, *, options: str) -> Iterator[Path]:
    """Mounted at `folder` meanwhile. MountFailed, or UnmountFailed when somebody stays in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise MountFailed(f"The folder {folder} to mount {path} at cannot be made: {error.strerror}.") from error
    argv = ["mount", "-t", name, "-o", options, path, str(folder)]
    done = run_tool(argv, timeout_s=MOUNT_TIMEOUT_S)
    if done.returncode != 0:
        folder.rmdir()
        raise MountFailed(f"{path} cannot be mounted at {folder}: {done.stderr.strip()}", log=done.output)
    try:
        yield folder
    finally:
        unmount(folder)
        _await_free(path)


def unmount(folder: Path) -> None:
    """Unmount, waiting a while for those who are still in it; the folder goes away too."""
    for attempt in range(UNMOUNT_TRIES):
        done = mounts.unmount(folder)
        if done.returncode == 0:
            folder.rmdir()
            return
        if attempt + 1 < UNMOUNT_TRIES:
            time.sleep(UNMOUNT_PAUSE_S)
    raise UnmountFailed(
        f"{folder} is still in use after {UNMOUNT_TRIES * UNMOUNT_PAUSE_S:g} s; the device stays mounted there.",
        log=done.output,
    )


def _await_free(path: str) -> None:
    """Until nobody stays in a copy of the mount, in a mount namespace made meanwhile: the log is not clean before."""
    deadline = time.monotonic() + FREE_PATIENCE_S
    while True:
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
        except OSError as error:
            if error.errno != errno.EBUSY:
                return  # it vanished, which others say
        else:
            return
        if time.monotonic() > deadline:
            raise UnmountFailed(f"{path} is unmounted, and still in use: another mount namespace has it mounted.")
        time.sleep(UNMOUNT_PAUSE_S)


def require_clean(name: str, path: str, *, lock: int | None = None) -> None:
    """Nothing to repair on the unmounted device, or FsckFailed: an image's base is clean."""
    argv = [*row_of(name).check, path]
    done = run_tool(argv, timeout_s=CHECK_TIMEOUT_S, inherit=() if lock is None else (lock,))
    if done.returncode != 0:
        raise FsckFailed(f"{' '.join(argv)} ended with {done.returncode}; no image was made.", log=done.output)
