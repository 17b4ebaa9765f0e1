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
from patina.file_system.options import mkfs_command, mount_list
from patina.file_system.table import row_of
from patina_worker.failure import FsckFailed, MkfsFailed, MountFailed, UnmountFailed
from patina_worker.host import mounts, sandbox
from patina_worker.host.served import Served
from patina_worker.host.ways import mode_mount_options
from patina_worker.tools.run import MOUNT_TIMEOUT_S, run_tool

UNMOUNT_TRIES = 40
UNMOUNT_PAUSE_S = 0.25
FREE_PATIENCE_S = 30.0
MKFS_TIMEOUT_S = 3600
CHECK_TIMEOUT_S = 3600
_PLAIN = "noatime,nodiscard,nodev,nosuid,noexec"


def uuid_of_seed(seed: int) -> str:
    """Derives the UUID and ext4's hash seed from the run's seed, so that equal runs make equal directories."""
    return str(uuid.UUID(bytes=hashlib.sha256(f"patina file system {seed}".encode()).digest()[:16], version=4))


@dataclass(frozen=True)
class Made:
    """The command line of mkfs and its result."""

    command: list[str]
    features: list[str]
    uuid: str


def mount_options(name: str, mode: AgingMode, added: str = "", *, is_emulated: bool = False) -> str:
    """Returns the options to mount it with for aging. Raises OptionsRefused for added ones that are not in its row."""
    parts = [_PLAIN, row_of(name).mount_options, mode_mount_options(name, mode), *mount_list(name, added)]
    # The last: one that a user added must not end it.
    parts.append(row_of(name).emulated_mount_options if is_emulated else "")
    return ",".join(part for part in parts if part)


def new_uuid(name: str, seed: int) -> str:
    """Returns the UUID for the file system that a run with that seed makes now."""
    return uuid_of_seed(seed) if row_of(name).has_uuid_of_seed else str(uuid.uuid4())


def make(name: str, path: str, *, size_bytes: int, fs_uuid: str, lock: int, added: str = "") -> Made:
    """Makes the file system with that UUID. Raises MkfsFailed, and OptionsRefused for added options that are not in
    its row."""
    row = row_of(name)
    command = row.on(mkfs_command(name, fs_uuid, size_bytes, added), path)
    done = run_tool(command, timeout_s=MKFS_TIMEOUT_S, inherit=(lock,))
    if done.returncode != 0:
        raise MkfsFailed(
            f"{command[0]} {path} failed with exit status {done.returncode}; see its output below.", log=done.output
        )
    described = run_tool([*row.describe, path])
    features = {word for found in row.features.findall(described.stdout) for word in re.findall(r"\w+", found)}
    if not features:
        raise MkfsFailed(f"{path} has no {name} after {command[0]} succeeded.", log=described.output)
    return Made(command=command, features=sorted(features), uuid=fs_uuid)


def uuid_on(path: str) -> str | None:
    """Returns the UUID of the file system on the device; None where there is none."""
    done = run_tool(["blkid", "-p", "-o", "value", "-s", "UUID", path])
    return done.stdout.strip() or None


def is_cut_short(name: str, path: str) -> bool:
    """Returns whether it was mounted without a journal and not unmounted, so that it cannot be replayed. Never true of
    a file system with a journal."""
    row = row_of(name)
    return row.unmounted is not None and not row.unmounted.search(run_tool([*row.describe, path]).stdout)


@contextmanager
def mounted(name: str, path: str, folder: Path, *, options: str) -> Iterator[Path]:
    """Mounts at `folder` while the context lasts. At its end an emulated disk decides on its kept paths, unless the
    work failed: what is not decided on stays until the next time. MountFailed, CoreFailed, or UnmountFailed while
    another process uses it."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise MountFailed(f"The folder {folder} to mount {path} at cannot be made: {error.strerror}.") from error
    try:
        server = _mount(name, path, folder, options)
    except MountFailed:
        folder.rmdir()
        raise
    try:
        yield folder
        sandbox.keep_paths(path, folder)
    finally:
        unmount(folder)
        if server is not None:
            server.wait()
        _await_free(path)


def _mount(name: str, path: str, folder: Path, options: str) -> Served | None:
    """Returns the process that serves it; None if the kernel does."""
    serve = row_of(name).serve
    if serve is not None:
        return Served(path, folder, serve(options))
    done = run_tool(["mount", "-t", name, "-o", options, path, str(folder)], timeout_s=MOUNT_TIMEOUT_S)
    if done.returncode != 0:
        raise MountFailed(f"{path} cannot be mounted at {folder}: {done.stderr.strip()}", log=done.output)
    return None


def unmount(folder: Path) -> None:
    """Unmounts and removes the folder, waiting a while for processes that still use it."""
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
    """Waits until no mount namespace made meanwhile has a copy of the mount: the log is not clean before."""
    deadline = time.monotonic() + FREE_PATIENCE_S
    while True:
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
        except OSError as error:
            if error.errno != errno.EBUSY:
                return  # the device vanished, which later steps report
        else:
            return
        if time.monotonic() > deadline:
            raise UnmountFailed(f"{path} is unmounted, and still in use: another mount namespace has it mounted.")
        time.sleep(UNMOUNT_PAUSE_S)


def require_clean(name: str, path: str, *, lock: int | None = None) -> None:
    """Raises FsckFailed unless the unmounted device is clean, as an image must be."""
    argv = row_of(name).on(row_of(name).check, path)
    done = run_tool(argv, timeout_s=CHECK_TIMEOUT_S, inherit=() if lock is None else (lock,))
    if done.returncode != 0:
        raise FsckFailed(
            f"{' '.join(argv)} failed with exit status {done.returncode}; no image was made.", log=done.output
        )
