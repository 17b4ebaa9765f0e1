"""Loop devices: finds those that are attached, and attaches new ones over an open file."""

import errno
import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from patina.core.failure import StepFailed
from patina_worker.failure import LoopFailed
from patina_worker.tools.run import run_tool

LOOP_CTL_GET_FREE = 0x4C82
LOOP_CONFIGURE = 0x4C0A
LOOP_GET_STATUS64 = 0x4C05
BLKROSET = 0x125D
LO_FLAGS_READ_ONLY = 1
LO_FLAGS_AUTOCLEAR = 4
LO_FLAGS_DIRECT_IO = 16
# struct loop_config: descriptor, block size, loop_info64 (its flags at 52, its file's name at 56), reserved.
_CONFIG = struct.Struct("=II52xI64s176x")
_INFO_BYTES = 232  # struct loop_info64
_NAME_AT, _NAME_BYTES = 56, 64  # in it
_TRIES = 20


@dataclass(frozen=True)
class Loop:
    """An attached loop device. Numbers are major:minor.

    Its file is identified by device and inode. The kernel shows the name in the mount namespace that attached it, and
    once that namespace is gone (a worker's, decision 6) the name lacks its mount point. A name can be given to
    another file, an inode cannot.
    """

    path: str
    number: str
    file: tuple[str, int]  # the number of its file system's device, and the inode
    over_device: str | None  # the number of the block device below it, if any
    shown: str  # the file name that the kernel shows
    label: str  # the name that was given when it was attached; shortened to 63 bytes


def attached_loops() -> list[Loop]:
    """Returns every attached loop device of this host."""
    return sorted(filter(None, map(_look_at, Path("/sys/block").glob("loop*"))), key=lambda each: each.path)


def find_loop(path: str) -> Loop | None:
    """Returns the loop device at `path`, if it is one and attached."""
    return next((each for each in attached_loops() if each.path == path), None)


def file_id(found: os.stat_result) -> tuple[str, int]:
    """Returns the identity of a file, as in `Loop.file`."""
    return f"{os.major(found.st_dev)}:{os.minor(found.st_dev)}", found.st_ino


def _look_at(entry: Path) -> Loop | None:
    path = f"/dev/{entry.name}"
    try:
        shown = (entry / "loop/backing_file").read_text(encoding="utf-8", errors="surrogateescape").removesuffix("\n")
        number = (entry / "dev").read_text(encoding="ascii").strip()
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            info = fcntl.ioctl(descriptor, LOOP_GET_STATUS64, bytes(_INFO_BYTES))
        finally:
            os.close(descriptor)
    except OSError:  # not attached, or no longer
        return None
    device, inode, over = struct.unpack_from("=QQQ", info)
    label = os.fsdecode(info[_NAME_AT : _NAME_AT + _NAME_BYTES].partition(b"\0")[0])
    return Loop(path, number, (_number_of(device), inode), _number_of(over) if over else None, shown, label)


def _number_of(encoded: int) -> str:
    """Decodes the kernel's encoding of a device number (include/linux/kdev_t.h, new_encode_dev)."""
    return f"{encoded >> 8 & 0xFFF}:{encoded & 0xFF | encoded >> 12 & 0xFFF00}"


@contextmanager
def attached(
    descriptor: int, name: str, *, is_read_only: bool = True, sector_bytes: int = 0
) -> Iterator[tuple[str, int]]:
    """Yields a loop device over the open file, and its descriptor. The kernel detaches it on close. LoopFailed."""
    flags = LO_FLAGS_AUTOCLEAR | (LO_FLAGS_READ_ONLY if is_read_only else 0)
    try:
        path, node = _configure(_CONFIG.pack(descriptor, sector_bytes, flags, os.fsencode(name)[:63]), is_read_only)
    except OSError as error:
        raise _failed(name, error) from error
    try:
        yield path, node
    finally:
        os.close(node)


def attach(descriptor: int, name: str, *, is_direct: bool = False) -> str:
    """Attaches a loop device over the open file until it is detached; returns its path. Direct: its pages are not
    cached once more as the file's. LoopFailed."""
    flags = LO_FLAGS_DIRECT_IO if is_direct else 0
    try:
        path, node = _configure(_CONFIG.pack(descriptor, 0, flags, os.fsencode(name)[:63]), is_read_only=False)
    except OSError as error:
        raise _failed(name, error) from error
    os.close(node)
    return path


def detach(path: str) -> None:
    """Detaches a loop device; LoopFailed where it cannot be."""
    done = run_tool(["losetup", "--detach", path])
    if done.returncode != 0:
        raise LoopFailed(f"Loop device {path} cannot be detached: {done.stderr.strip()}", log=done.output)


def _failed(name: str, error: OSError) -> StepFailed:
    return LoopFailed(f"No loop device for {name}: {error.strerror}.")


def _configure(config: bytes, is_read_only: bool) -> tuple[str, int]:
    access = os.O_RDONLY if is_read_only else os.O_RDWR
    control = os.open("/dev/loop-control", os.O_RDWR | os.O_CLOEXEC)
    try:
        for _ in range(_TRIES):
            path = f"/dev/loop{fcntl.ioctl(control, LOOP_CTL_GET_FREE)}"
            node = os.open(path, access | os.O_CLOEXEC)
            try:
                fcntl.ioctl(node, LOOP_CONFIGURE, config)
            except OSError as error:
                os.close(node)
                if error.errno != errno.EBUSY:  # EBUSY: another process took it meanwhile
                    raise
            else:
                return path, node if is_read_only else _reopened(path, node)
        raise OSError(errno.EBUSY, "all of them are taken")
    finally:
        os.close(control)


def _reopened(path: str, node: int) -> int:
    """Reopens the node read-only: some kernels mount nothing that a process has open for writing.

    A node may still have the read-only mark of an earlier file.
    """
    try:
        fcntl.ioctl(node, BLKROSET, struct.pack("i", 0))
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(node)
