"""Locks of a host: a process that works on a job without a device locks the byte at the job's number in one file. Other
files have locks of other things that only one process may do at a time.

It is an open file description lock (fcntl(2)): programs that inherit the descriptor keep it while they live, so a free
lock proves that no process of an earlier attempt works on the job.
"""

import errno
import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from patina.settings import settings

JOBS = "jobs.lock"
_FLOCK = "hhqqi4x"  # struct flock of 64-bit Linux


def _asking(kind: int, number: int) -> bytes:
    return struct.pack(_FLOCK, kind, os.SEEK_SET, number, 1, 0)


def _open(file_name: str = JOBS) -> int:
    settings().state_dir.mkdir(parents=True, exist_ok=True)
    return os.open(settings().state_dir / file_name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


@contextmanager
def held(number: int, *, file_name: str = JOBS) -> Iterator[int | None]:
    """Yields the descriptor that holds the lock; None while another holder has it, also one of this process."""
    descriptor = _open(file_name)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _asking(fcntl.F_WRLCK, number))
    except OSError as error:
        os.close(descriptor)
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_held(job_id: int) -> bool:
    """Returns whether a process works on the job."""
    descriptor = _open()
    try:
        answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _asking(fcntl.F_WRLCK, job_id))
    finally:
        os.close(descriptor)
    kind: int = struct.unpack(_FLOCK, answer)[0]
    return kind != fcntl.F_UNLCK
