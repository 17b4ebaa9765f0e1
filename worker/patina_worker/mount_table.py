"""Who has what mounted: the mount tables of every mount namespace of this host, not only of our own."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from patina_worker.tool import MOUNT_TIMEOUT_S, Done, run_tool

_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class Mount:
    number: str  # major:minor of the file system's device
    kind: str  # "ext4", "fuse.sshfs"
    source: str
    target: str
    entry: str  # the mount's own number: what is mounted twice is there twice
    parent: str
    is_shared: bool  # what is unmounted below it elsewhere goes away here too


def _unescape(field: str) -> str:
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), field)


def _parse(text: str) -> set[Mount]:
    mounts = set()
    for line in text.splitlines():
        left, _, right = line.partition(" - ")
        entry, parent, number, _, target, _, *tags = left.split()
        is_shared = any(tag.startswith(("shared:", "master:")) for tag in tags)
        kind, source = right.split()[:2]
        mounts.add(
            Mount(number, kind, _unescape(source), _unescape(target), entry=entry, parent=parent, is_shared=is_shared)
        )
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


def unmount(target: Path) -> Done:
    """Unmount what is mounted at `target`, in our namespace."""
    return run_tool(["umount", str(target)], timeout_s=MOUNT_TIMEOUT_S)
