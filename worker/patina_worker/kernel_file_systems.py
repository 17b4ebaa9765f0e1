"""Which file systems of the table the running kernel has, built in or as a module."""

import os
from functools import lru_cache
from pathlib import Path

from patina.file_system.table import FileSystem, why_missing
from patina.run.choice import FileSystemMissing
from patina_worker import tools

# "nodev" before the name of one that needs no device (proc(5)).
_REGISTERED = Path("/proc/filesystems")


def known() -> list[str]:
    """Their names in the order of the table. A mount loads the module of one that is not registered yet."""
    lines = _REGISTERED.read_text(encoding="ascii").splitlines()
    registered = {line.strip() for line in lines if not line.startswith("nodev")}
    return [name for name in FileSystem if name in registered | _loadable()]


@lru_cache(maxsize=1)
def _loadable() -> frozenset[str]:
    """By the aliases of modules (fs.h: MODULE_ALIAS_FS). Empty where their folder cannot be read, as in a container."""
    aliases = Path("/lib/modules") / os.uname().release / "modules.alias"
    try:
        words = [line.split() for line in aliases.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return frozenset()
    return frozenset(word[1].removeprefix("fs-") for word in words if len(word) == 3 and word[1].startswith("fs-"))


def require(name: str) -> None:
    """FileSystemMissing. To be asked before anything of the device is given up."""
    why = why_missing(name, known=known(), tools=tools.versions())
    if why is not None:
        raise FileSystemMissing(f"The device cannot be aged with {name}: {why}.")
