"""Who has what mounted: the mount tables of every mount namespace of this host, not only of our own."""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from patina.settings import PROJECT_DIR
from patina_worker.tool import MOUNT_TIMEOUT_S, Done, run_tool

_PROGRAMS = tuple(Path(name) for name in ("/usr", "/etc", sys.prefix, sys.base_prefix))
_PLACES = tuple(Path(name) for name in ("/var/tmp", "/tmp", "/dev/shm", "/run", "/root"))
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
    """Where disks are mounted that hold nothing of the trees `folders`, of Patina's programs or the system's places.

    A namespace that copies such a mount keeps the disk busy as the mount does: where `/` is not shared, the host's
    own umount does not free it while that namespace lives. A link in one of `folders` leads to a tree of its own.
    """
    trees = {each.resolve() for folder in folders for each in (folder, *_links_in(folder))}
    trees.update(program.resolve() for program in (*_PROGRAMS, PROJECT_DIR))
    disks = {Path(mount.target) for mount in own_mounts() if Path(mount.source).is_block_device()}
    used = {disk for disk in disks for tree in trees if tree.is_relative_to(disk) or disk.is_relative_to(tree)}
    used |= {disk for disk in disks for place in _PLACES if place.is_relative_to(disk)}
    return sorted(map(str, disks - used), reverse=True)


def _links_in(folder: Path) -> list[Path]:
    """A store or a spool may have been put on a larger disk so."""
    return [path for path in folder.iterdir() if path.is_symlink()] if folder.is_dir() else []


def unmount(target: Path) -> Done:
    """Unmount what is mounted at `target`, in our namespace."""
    return run_tool(["umount", str(target)], timeout_s=MOUNT_TIMEOUT_S)
