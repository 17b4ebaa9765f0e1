"""Finds the uses of this host's block devices: mounts, loop devices, and processes that have one open for writing."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from patina_worker.host import loop_device
from patina_worker.host.loop_device import Loop
from patina_worker.host.mounts import Mount, all_mounts


@dataclass(frozen=True)
class Uses:
    """The uses of all block devices at one time. A device is named by its number, major:minor."""

    mounts: set[Mount]
    loops: list[Loop]
    writers: dict[str, str]  # the program that has it open for writing: "qemu-system-x86 (process 4711)"


def look(writers: dict[str, str] | None = None) -> Uses:
    """Returns the current uses. `writers`: those of an earlier call, because they take the longest."""
    return Uses(all_mounts(), loop_device.attached_loops(), all_writers() if writers is None else writers)


def all_writers() -> dict[str, str]:
    """Returns the other processes that have a block device open for writing: a virtual machine, a database, a copy.
    The kernel allows them an open without O_EXCL, and no mount table shows them."""
    writers: dict[str, str] = {}
    for process in Path("/proc").glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        try:
            for number in _written_by(process):
                name = (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
                writers[number] = f"{name} (process {process.name})"
        except OSError:  # it ended meanwhile
            continue
    return writers


def _written_by(process: Path) -> set[str]:
    numbers = set()
    for link in os.scandir(process / "fd"):
        try:
            if not os.readlink(link).startswith("/"):  # a socket, a pipe
                continue
            found = os.stat(link)
            if stat.S_ISBLK(found.st_mode) and _is_for_writing(process / "fdinfo" / link.name):
                numbers.add(f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}")
        except OSError:  # closed meanwhile
            continue
    return numbers


def _is_for_writing(fdinfo: Path) -> bool:
    lines = fdinfo.read_text(encoding="ascii").splitlines()
    flags = next(int(line.split()[1], 8) for line in lines if line.startswith("flags:"))
    return flags & os.O_ACCMODE != os.O_RDONLY
