"""Which file systems of the table this host can make and mount."""

import os
from functools import lru_cache
from pathlib import Path

from patina.file_system.table import ROWS
from patina.run.choice import FileSystemMissing
from patina_worker import tools

# "nodev" before the name of one that needs no device (proc(5)).
_REGISTERED = Path("/proc/filesystems")


def lacking() -> dict[str, str]:
    """Those that it cannot, and why as a sentence's end. A mount loads the module of one that is not registered yet."""
    lines = _REGISTERED.read_text(encoding="ascii").splitlines()
    known = {line.strip() for line in lines if not line.startswith("nodev")} | _loadable()
    found = {}
    for name, row in ROWS.items():
        absent = [tool for tool in row.tools if tools.versions()[tool] == tools.MISSING]
        if name not in known:
            found[str(name)] = f"this host's kernel lacks {name}"
        elif absent:
            found[str(name)] = f"{absent[0]} is not installed on this host (package {row.package})"
    return found


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
    why = lacking().get(name)
    if why is not None:
        raise FileSystemMissing(f"The device cannot be aged with {name}: {why}.")
