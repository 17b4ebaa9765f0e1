"""The file system of a run: made by a pinned recipe, mounted, unmounted and checked. What differs is in one table."""

import errno
import hashlib
import os
import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from patina.core.contract.way import AgingMode
from patina.device.file_system import FileSystem
from patina_worker import mount_table
from patina_worker.failure import FsckFailed, MkfsFailed, MountFailed, UnmountFailed
from patina_worker.tool import MOUNT_TIMEOUT_S, run_tool
from patina_worker.ways import mode_mount_options

UNMOUNT_TRIES = 40
UNMOUNT_PAUSE_S = 0.25
FREE_PATIENCE_S = 30.0
MKFS_TIMEOUT_S = 3600
CHECK_TIMEOUT_S = 3600
_PLAIN = "noatime,nodiscard,nodev,nosuid,noexec"
_XFS_GROUP_BYTES = 2**40  # as large as one can be


def _mkfs_ext4(identity: str, _: int) -> list[str]:
    """Features spelled out, because mke2fs.conf differs between hosts. One -E list only: mke2fs takes the last."""
    features = (
        "none,has_journal,ext_attr,resize_inode,dir_index,filetype,extent,64bit,flex_bg,sparse_super,large_file,"
        "huge_file,dir_nlink,extra_isize,metadata_csum"
    )
    extended = f"hash_seed={identity},lazy_itable_init=0,lazy_journal_init=0,nodiscard"
    argv = ["mkfs.ext4", "-b", "4096", "-I", "256", "-i", "16384", "-m", "0", "-O", features]
    return [*argv, "-U", identity, "-E", extended]


def _mkfs_xfs(identity: str, size_bytes: int) -> list[str]:
    """-f: old bytes may look like a file system. Whether they may go was asked before."""
    groups_count = max(4, -(-size_bytes // _XFS_GROUP_BYTES))
    metadata = f"crc=1,finobt=1,rmapbt=0,reflink=1,bigtime=1,inobtcount=1,uuid={identity}"
    argv = ["mkfs.xfs", "-q", "-f", "-K", "-b", "size=4096", "-m", metadata]
    argv += ["-d", f"agcount={groups_count},noalign", "-i", "size=512,sparse=1,nrext64=0"]
    return [*argv, "-n", "size=4096,ftype=1", "-l", "internal=1,version=2,lazy-count=1"]


def _mkfs_btrfs(identity: str, _: int) -> list[str]:
    argv = ["mkfs.btrfs", "-q", "-f", "-K", "-U", identity, "-d", "single", "-m", "dup", "-n", "16384", "-s", "4096"]
    return [*argv, "--csum", "crc32c", "-O", "extref,skinny-metadata,no-holes", "-R", "free-space-tree"]


def uuid_of_seed(seed: int) -> str:
    """The UUID, and ext4's hash seed: from the run's seed, so that the same run gives the same directories."""
    return str(uuid.UUID(bytes=hashlib.sha256(f"patina file system {seed}".encode()).digest()[:16], version=4))


def _random_uuid(_: int) -> str:
    """mkfs.btrfs refuses a UUID that any device of the host has, and nothing that btrfs does depends on its own."""
    return str(uuid.uuid4())


@dataclass(frozen=True)
class _Kind:
    identity: Callable[[int], str]  # by the run's seed
    mkfs: Callable[[str, int], list[str]]  # by UUID and device size; the path comes last
    mount_options: str  # in every mode
    describe: list[str]  # prints the features
    features: re.Pattern[str]  # where they stand in that
    check: list[str]  # read-only; anything to repair makes it fail


_KINDS = {
    FileSystem.EXT4: _Kind(
        identity=uuid_of_seed,
        mkfs=_mkfs_ext4,
        mount_options=_PLAIN,
        describe=["dumpe2fs", "-h"],
        features=re.compile(r"^Filesystem features:(.*)$", re.MULTILINE),
        check=["e2fsck", "-fn"],
    ),
    # nouuid: two runs with one seed give two file systems with one UUID, which may be mounted at once.
    FileSystem.XFS: _Kind(
        identity=uuid_of_seed,
        mkfs=_mkfs_xfs,
        mount_options=f"{_PLAIN},nouuid",
        describe=["xfs_db", "-r", "-c", "version"],
        features=re.compile(r"^versionnum .* = (.*)$", re.MULTILINE),
        check=["xfs_repair", "-n"],
    ),
    FileSystem.BTRFS: _Kind(
        identity=_random_uuid,
        mkfs=_mkfs_btrfs,
        mount_options=_PLAIN,
        describe=["btrfs", "inspect-internal", "dump-super"],
        features=re.compile(r"^(?:compat_ro|incompat)_flags\s+0x\w+\s*\(([^)]*)\)", re.MULTILINE),
        check=["btrfs", "check", "--readonly"],
    ),
}


@dataclass(frozen=True)
class Made:
    """What mkfs was told, and what it made of it."""

    command: list[str]
    features: list[str]
    uuid: str


def mount_options(name: str, mode: AgingMode) -> str:
    """With what it is mounted to be aged."""
    of_mode = mode_mount_options(name, mode)
    of_kind = _KINDS[FileSystem(name)].mount_options
    return f"{of_kind},{of_mode}" if of_mode else of_kind


def new_uuid(name: str, seed: int) -> str:
    """The UUID of the file system that a run with that seed makes now."""
    return _KINDS[FileSystem(name)].identity(seed)


def make(name: str, path: str, *, size_bytes: int, fs_uuid: str, lock: int) -> Made:
    """Make the file system with that UUID, or MkfsFailed."""
    kind = _KINDS[FileSystem(name)]
    command = [*kind.mkfs(fs_uuid, size_bytes), path]
    done = run_tool(command, timeout_s=MKFS_TIMEOUT_S, inherit=(lock,))
    if done.returncode != 0:
        raise MkfsFailed(
            f"{command[0]} on {path} ended with {done.returncode}. Its words are in the log.", log=done.output
        )
    described = run_tool([*kind.describe, path])
    features = {word for found in kind.features.findall(described.stdout) for word in re.findall(r"\w+", found)}
    if not features:
        raise MkfsFailed(f"{path} has no {name} after {command[0]} said that it had made one.", log=described.output)
    return Made(command=command, features=sorted(features), uuid=fs_uuid)


def uuid_on(path: str) -> str | None:
    """The UUID of the file system that the device holds now; None where there is none."""
    done = run_tool(["blkid", "-p", "-o", "value", "-s", "UUID", path])
    return done.stdout.strip() or None


def is_cut_short(path: str, *, options: str) -> bool:
    """Whether an ext4 that was mounted without its journal (noload) was not unmounted: the kernel marks it while it is
    mounted so, and there is nothing to replay. A file system with a journal replays it, and is never cut short."""
    if "noload" not in options.split(","):
        return False
    described = run_tool(["dumpe2fs", "-h", path])
    state = re.search(r"^Filesystem state:\s*(.*)$", described.stdout, re.MULTILINE)
    return state is None or state.group(1) != "clean"


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
    argv = [*_KINDS[FileSystem(name)].check, path]
    done = run_tool(argv, timeout_s=CHECK_TIMEOUT_S, inherit=() if lock is None else (lock,))
    if done.returncode != 0:
        raise FsckFailed(f"{' '.join(argv)} ended with {done.returncode}; no image was made.", log=done.output)
