"""Finds the file systems of the table that this host cannot make or mount."""

import os
import shutil
from pathlib import Path

from patina.core.supervised import environment
from patina.file_system.table import ROWS
from patina.run.choice import FileSystemMissing

# "nodev" precedes the name of a file system without a device (proc(5)).
_REGISTERED = Path("/proc/filesystems")
_MODULES = Path("/proc/modules")  # absent where the kernel cannot load any
_ALIASES = Path("/lib/modules") / os.uname().release / "modules.alias"


def lacking() -> dict[str, str]:
    """Returns the file systems that the host lacks, and why. A mount loads the module of one not registered yet."""
    known = _known()
    found: dict[str, str] = {}
    for name, row in ROWS.items():
        absent = [tool for tool in row.tools if shutil.which(tool, path=environment()["PATH"]) is None]
        if known is not None and row.serve is None and name not in known:
            found[name] = f"this host's kernel lacks {name}"
        elif absent:
            found[name] = f"{absent[0]} is not installed on this host (package {row.package})"
    return found


def _known() -> set[str] | None:
    """Returns the kernel's file systems, by the aliases of its modules (fs.h: MODULE_ALIAS_FS). None where these cannot
    be read, as in a container that does not see them."""
    lines = _REGISTERED.read_text(encoding="ascii").splitlines()
    registered = {line.strip() for line in lines if not line.startswith("nodev")}
    if not _MODULES.exists():
        return registered
    try:
        words = [line.split() for line in _ALIASES.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return None
    return registered | {word[1].removeprefix("fs-") for word in words if len(word) == 3 and word[1].startswith("fs-")}


def require(name: str) -> None:
    """Raises FileSystemMissing. Call it before any content of the device is destroyed."""
    why = lacking().get(name)
    if why is not None:
        raise FileSystemMissing(f"The device cannot be aged with {name}: {why}.")
