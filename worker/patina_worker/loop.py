"""A loop device over a file that lasts as long as its descriptor: killed, nobody has to detach it."""

import errno
import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from patina_worker.failure import LoopFailed

LOOP_CTL_GET_FREE = 0x4C82
LOOP_CONFIGURE = 0x4C0A
BLKROSET = 0x125D
LO_FLAGS_READ_ONLY = 1
LO_FLAGS_AUTOCLEAR = 4
# struct loop_config: descriptor, block size, loop_info64 (its flags at 52, its file's name at 56), reserved.
_CONFIG = struct.Struct("=II52xI64s176x")
_TRIES = 20


@contextmanager
def attached(
    descriptor: int, name: str, *, is_read_only: bool = True, sector_bytes: int = 0
) -> Iterator[tuple[str, int]]:
    """The path of a loop device over the open file, and its descriptor. LoopFailed when there is none to have."""
    flags = LO_FLAGS_AUTOCLEAR | (LO_FLAGS_READ_ONLY if is_read_only else 0)
    try:
        path, node = _configure(_CONFIG.pack(descriptor, sector_bytes, flags, os.fsencode(name)[:63]), is_read_only)
    except OSError as error:
        raise LoopFailed(f"No loop device for {name}: {error.strerror}.") from error
    try:
        yield path, node
    finally:
        os.close(node)


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
                if error.errno != errno.EBUSY:  # else somebody else took it meanwhile
                    raise
            else:
                return path, node if is_read_only else _reopened(path, node)
        raise OSError(errno.EBUSY, "all of them are taken")
    finally:
        os.close(control)


def _reopened(path: str, node: int) -> int:
    """For reading only: some kernels mount nothing that a process has open for writing.

    A node may keep the read-only mark that somebody gave it for an earlier file.
    """
    try:
        fcntl.ioctl(node, BLKROSET, struct.pack("i", 0))
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(node)
