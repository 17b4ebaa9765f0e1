"""Programs that this host's own settings let trials run, as root.

A program is a regular file in the folder, not a link, that only root can change, as the folder itself.
"""

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

from patina.core.failure import StepFailed
from patina.settings import settings
from patina.trial.workload import PROGRAM_PATTERN

CommandNotAllowed = StepFailed.of("command_not_allowed", "The host does not allow this command")
MOST_COMMANDS = 500
NAME = re.compile(PROGRAM_PATTERN)


def commands() -> list[str]:
    """Returns the names of the programs."""
    folder = settings().command_dir
    if folder is None or not _is_closed(folder, stat.S_ISDIR):
        return []
    names = sorted(name for name in os.listdir(folder) if NAME.fullmatch(name))
    return [name for name in names if _is_command(folder / name)][:MOST_COMMANDS]


def command_of(name: str) -> Path:
    """Returns the program of this name. Raises CommandNotAllowed."""
    folder = settings().command_dir
    if folder is None or name not in commands():
        where = f"in the command folder of host {settings().host_name}, {folder or 'which is not set'}"
        raise CommandNotAllowed(f"{name} is not a program {where}, or others than root can change it.")
    return folder / name


def _is_command(path: Path) -> bool:
    return _is_closed(path, stat.S_ISREG) and os.access(path, os.X_OK)


def _is_closed(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Returns whether it is of that kind, is root's, and no other account can write to it."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return is_kind(found.st_mode) and found.st_uid == 0 and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
