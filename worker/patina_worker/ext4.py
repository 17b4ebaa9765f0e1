"""The ext4 of a run: made by a pinned recipe, mounted, unmounted and checked."""

import hashlib
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from patina_worker import mount_table
from patina_worker.failure import MkfsFailed, MountFailed, UnmountFailed
from patina_worker.tool import run_tool

# Spelled out, because mke2fs.conf differs between hosts (aging-model, section 8).
FEATURES = (
    "none", "has_journal", "ext_attr", "resize_inode", "dir_index", "filetype", "extent", "64bit", "flex_bg",
    "sparse_super", "large_file", "huge_file", "dir_nlink", "extra_isize", "metadata_csum",
)  # fmt: skip
MOUNT_OPTIONS = "noatime,nodelalloc,nodiscard,commit=3600,nodev,nosuid,noexec"
UNMOUNT_TRIES = 40
UNMOUNT_PAUSE_S = 0.25
MKFS_TIMEOUT_S = 3600


@dataclass(frozen=True)
class Made:
    """What mkfs was told, and what it made of it."""

    command: list[str]
    features: list[str]
    uuid: str


def uuid_of_seed(seed: int) -> str:
    """The file system's UUID and hash seed: from the run's seed, so that the same run gives the same directories."""
    return str(uuid.UUID(bytes=hashlib.sha256(f"patina file system {seed}".encode()).digest()[:16], version=4))


def mkfs_command(path: str, *, seed: int) -> list[str]:
    """The pinned recipe. One -E list only: mke2fs takes the last."""
    identity = uuid_of_seed(seed)
    extended = f"hash_seed={identity},lazy_itable_init=0,lazy_journal_init=0,nodiscard"
    argv = ["mkfs.ext4", "-b", "4096", "-I", "256", "-i", "16384", "-m", "0", "-O", ",".join(FEATURES)]
    return [*argv, "-U", identity, "-E", extended, path]


def make(path: str, *, seed: int, lock: int) -> Made:
    """Make the file system, or MkfsFailed."""
    command = mkfs_command(path, seed=seed)
    done = run_tool(command, timeout_s=MKFS_TIMEOUT_S, inherit=(lock,))
    if done.returncode != 0:
        raise MkfsFailed(
            f"mkfs.ext4 on {path} ended with {done.returncode}. Its words are in the log.", log=done.output
        )
    listing = run_tool(["dumpe2fs", "-h", path])
    lines = [line for line in listing.stdout.splitlines() if line.startswith("Filesystem features:")]
    if not lines:
        raise MkfsFailed(f"{path} has no ext4 after mkfs.ext4 said that it had made one.", log=listing.output)
    return Made(command=command, features=sorted(lines[0].partition(":")[2].split()), uuid=uuid_of_seed(seed))


def uuid_on(path: str) -> str | None:
    """The UUID of the ext4 that the device holds now; None where there is none."""
    done = run_tool(["blkid", "-p", "-o", "value", "-s", "UUID", path])
    return done.stdout.strip() or None


@contextmanager
def mounted(path: str, folder: Path) -> Iterator[Path]:
    """Mounted at `folder` meanwhile. MountFailed, or UnmountFailed when somebody stays in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise MountFailed(f"The folder {folder} to mount {path} at cannot be made: {error.strerror}.") from error
    done = run_tool(["mount", "-t", "ext4", "-o", MOUNT_OPTIONS, path, str(folder)])
    if done.returncode != 0:
        folder.rmdir()
        raise MountFailed(f"{path} cannot be mounted at {folder}: {done.stderr.strip()}", log=done.output)
    try:
        yield folder
    finally:
        unmount(folder)


def unmount(folder: Path) -> None:
    """Unmount, waiting a while for those who are still in it; the folder goes away too."""
    for attempt in range(UNMOUNT_TRIES):
        done = mount_table.unmount(folder)
        if done.returncode == 0:
            folder.rmdir()
            return
        if attempt + 1 < UNMOUNT_TRIES:
            time.sleep(UNMOUNT_PAUSE_S)
    raise UnmountFailed(
        f"{folder} is still in use after {UNMOUNT_TRIES * UNMOUNT_PAUSE_S:g} s; the device stays mounted there.",
        log=done.output,
    )
