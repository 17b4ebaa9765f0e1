"""A flag that the worker's processes share: the worker is being stopped, and jobs must release their devices.

The parent sets it on a signal; a job's process reads it several times a second.
"""

import mmap

_flag: bytearray | mmap.mmap = bytearray(1)  # of this process alone


def share() -> None:
    """Shares the flag with each process that is forked from here on."""
    global _flag
    _flag = mmap.mmap(-1, 1)


def announce() -> None:
    """Sets the flag. The parent calls it on SIGTERM."""
    _flag[0] = 1


def is_announced() -> bool:
    """Returns whether this worker is being stopped."""
    return _flag[0] == 1
