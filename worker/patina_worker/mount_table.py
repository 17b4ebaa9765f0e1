"""Who has what mounted: the mount tables of every mount namespace of this host, not only of our own."""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from patina.settings import PROJECT_DIR
from patina_worker.tool import MOUNT_TIMEOUT_S, Done, run_tool

_SYSTEM_FOLDERS = tuple(Path(name) for name in ("/usr", "/etc", "/var/tmp", "/tmp", "/dev/shm", "/run", "/root"))
_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class Mount:
    number: str  # major:minor of the file system's device
    source: str
    target: str


def _unescape(field: str) -> str:
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), field)


def _parse(text: str) -> set[Mount]:
    mounts = set()
    for line in text.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split()
        mounts.add(Mount(number=fields[2], source=_unescape(right.split()[1]), target=_unescape(fields[4])))
    return mounts


def own_mounts() -> set[Mount]:
    """What this process sees."""
    return _parse(Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape"))


def all_mounts() -> set[Mount]:
    """What any process of the host sees, one look a namespace."""
    mounts, seen = own_mounts(), {os.readlink("/proc/self/ns/mnt")}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            namespace = os.readlink(process / "ns/mnt")
            if namespace in seen:
                continue
            mounts |= _parse((process / "mountinfo").read_text(encoding="utf-8", errors="surrogateescape"))
        except OSError:  # it ended meanwhile, or is the kernel's own
            continue
        seen.add(namespace)
    return mounts


def foreign_disks(*folders: Path) -> list[str]:
    """Where disks are mounted that none of `folders`, of Patina's own and of the system's is on.

    A namespace that copies such a mount keeps the disk busy as the mount does: where `/` is not shared, the host's
    own umount does not free it while that namespace lives.
    """
    ours = (*folders, PROJECT_DIR, Path(sys.prefix), *_SYSTEM_FOLDERS)
    disks = {mount.target for mount in own_mounts() if Path(mount.source).is_block_device()}
    return sorted(disk for disk in disks if not any(path.is_relative_to(disk) for path in ours))


def unmount(target: Path) -> Done:
    """Unmount what is mounted at `target`, in our namespace."""
    return run_tool(["umount", str(target)], timeout_s=MOUNT_TIMEOUT_S)
