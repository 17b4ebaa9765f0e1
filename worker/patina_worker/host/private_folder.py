"""Opens folders safely: no other account can substitute one."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Yields a descriptor of the folder at `path`. FileNotFoundError, or NotADirectoryError, also for a symbolic link
    that another account made."""
    follow = 0 if path.lstat().st_uid == os.geteuid() else os.O_NOFOLLOW
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | follow)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_ours_alone(descriptor: int) -> bool:
    """Returns whether no other account can create or rename a file there."""
    found = os.fstat(descriptor)
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
