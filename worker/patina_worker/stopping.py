"""One flag that the worker's processes share: the worker is being stopped, so hand devices back now.

The parent learns of it by signal; a run's process looks here several times a second.
"""

import mmap

_flag: bytearray | mmap.mmap = bytearray(1)  # of this process alone


def share() -> None:
    """Share the flag with each process that is forked from here on."""
    global _flag
    _flag = mmap.mmap(-1, 1)


def announce() -> None:
    """From the parent, when it is told to end."""
    _flag[0] = 1


def is_announced() -> bool:
    """Whether this worker is being stopped."""
    return _flag[0] == 1
