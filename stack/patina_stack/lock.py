"""A lock file: one command at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock. Waits for another process that has it."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "w") as lock:
        os.fchmod(lock.fileno(), 0o600)  # any account that can open it could lock it, and block every start
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
