"""The node of a block device: locks it for a job, opens it exclusively, discards its content."""

import errno
import fcntl
import os
import stat
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from patina.device.lease import DeviceBusy
from patina_worker.failure import DeviceMissing

BLKDISCARD = 0x1277
BLKZEROOUT = 0x127F
LOCK_PATIENCE_S = 2.0
LOCK_PAUSE_S = 0.05
SAMPLES_COUNT = 64
SAMPLE_BYTES = 2**16
_ZEROES = bytes(2**20)


@contextmanager
def held(path: str) -> Iterator[int]:
    """Locks the node until the context ends, or raises DeviceBusy.

    Child processes that inherit the descriptor keep the lock while they live: a free lock proves that no process of
    an earlier run uses the device.
    """
    if not is_whole_disk(path):
        raise DeviceMissing(f"{path} is no disk of this host. Was it detached?")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise DeviceMissing(f"Device {path} cannot be opened: {error.strerror}.") from error
    try:
        if not _lock(descriptor):
            raise DeviceBusy(f"Device {path} is locked by another process of this host.")
        yield descriptor
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Locks the node, waiting a moment: a process that has just released the device may still have it open."""
    deadline = time.monotonic() + LOCK_PATIENCE_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(LOCK_PAUSE_S)
        else:
            return True


@contextmanager
def opened_alone(path: str) -> Iterator[int]:
    """Opens the node for writing, exclusively: the kernel refuses while it is mounted, swap, or part of another."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise DeviceBusy(
                f"Device {path} is in use: the kernel refuses exclusive access. Unmount it, or stop what uses it."
            ) from error
        raise DeviceMissing(f"Device {path} cannot be opened for writing: {error.strerror}.") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_whole_disk(path: str) -> bool:
    """Returns whether the path is the kernel's own node of a whole disk or loop device.

    The path comes from a row and is untrusted. Only root can change the folders of /dev that are accepted, so an
    accepted path names the same disk while that is attached: no link can replace it between two checks.
    """
    folders = path.split("/")[1:-1]
    if not path.startswith("/dev/") or not set(folders).isdisjoint({"", ".", ".."}):
        return False
    name = path.removeprefix("/dev/").replace("/", "!")  # as sysfs has it: cciss!c0d0
    try:
        places = [os.lstat("/" + "/".join(folders[:depth])) for depth in range(1, len(folders) + 1)]
        node = os.lstat(path)
        number = Path(f"/sys/block/{name}/dev").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return False
    is_roots = all(stat.S_ISDIR(place.st_mode) and place.st_uid == 0 and not place.st_mode & 0o022 for place in places)
    is_node = stat.S_ISBLK(node.st_mode) and number == f"{os.major(node.st_rdev)}:{os.minor(node.st_rdev)}"
    return is_roots and is_node


def discard(descriptor: int, size_bytes: int) -> bool:
    """Discards the whole device; False where it cannot."""
    return _range_ioctl(descriptor, BLKDISCARD, size_bytes)


def zero_out(descriptor: int, size_bytes: int) -> bool:
    """Makes the whole device read as zeroes; False where it cannot."""
    return _range_ioctl(descriptor, BLKZEROOUT, size_bytes)


def _range_ioctl(descriptor: int, request: int, size_bytes: int) -> bool:
    try:
        fcntl.ioctl(descriptor, request, struct.pack("=QQ", 0, size_bytes))
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOTTY):
            return False
        raise
    return True


@contextmanager
def _read_only(path: str) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_blank(path: str, size_bytes: int) -> bool:
    """Returns whether the samples of the device are all zero."""
    with _read_only(path) as descriptor:
        return samples_are_zero(descriptor, size_bytes)


def samples_are_zero(descriptor: int, size_bytes: int) -> bool:
    """Returns whether the first and the last MiB of an open file or device, and SAMPLES_COUNT pieces of SAMPLE_BYTES
    between them, are zero: content may lack a signature at the edges."""
    edge_bytes = min(len(_ZEROES), size_bytes)
    step_bytes = size_bytes // (SAMPLES_COUNT + 1) // SAMPLE_BYTES * SAMPLE_BYTES
    pieces = [(0, edge_bytes), (size_bytes - edge_bytes, edge_bytes)]
    pieces += [(number * step_bytes, SAMPLE_BYTES) for number in range(1, SAMPLES_COUNT + 1) if step_bytes]
    return all(os.pread(descriptor, length, at) == _ZEROES[:length] for at, length in pieces)
