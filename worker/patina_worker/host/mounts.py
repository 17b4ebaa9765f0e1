"""The mount tables of every mount namespace of this host."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from patina_worker.tools.run import MOUNT_TIMEOUT_S, Done, run_tool

_OCTAL = re.compile(rb"\\([0-7]{3})")


@dataclass(frozen=True)
class Mount:
    number: str  # major:minor of the file system's device
    kind: str  # "ext4", "fuse.sshfs"
    source: str
    target: str
    entry: str  # the mount ID: a device that is mounted twice has two entries
    parent: str
    is_shared: bool  # unmounts below it in other namespaces propagate here


def _unescape(field: bytes) -> str:
    return os.fsdecode(_OCTAL.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), field))


def _parse(text: bytes) -> set[Mount]:
    """Splits at spaces and newlines, which the kernel escapes; names may contain Python's other separators."""
    return {_mount(line.split(b" ")) for line in text.split(b"\n") if line}


def _mount(words: list[bytes]) -> Mount:
    entry, parent, number, _, target, _, *rest = words
    dash = rest.index(b"-")
    kind, source = rest[dash + 1 : dash + 3]
    return Mount(
        number=number.decode(),
        kind=kind.decode(errors="replace"),
        source=_unescape(source),
        target=_unescape(target),
        entry=entry.decode(),
        parent=parent.decode(),
        is_shared=any(tag.startswith((b"shared:", b"master:")) for tag in rest[:dash]),
    )


def own_mounts() -> set[Mount]:
    """Returns the mounts of this process's namespace."""
    return _parse(Path("/proc/self/mountinfo").read_bytes())


def all_mounts() -> set[Mount]:
    """Returns the mounts of every process of the host; reads each namespace once."""
    mounts, seen = own_mounts(), {os.readlink("/proc/self/ns/mnt")}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            namespace = os.readlink(process / "ns/mnt")
            if namespace in seen:
                continue
            mounts |= _parse((process / "mountinfo").read_bytes())
        except OSError:  # it ended meanwhile, or is the kernel's own
            continue
        seen.add(namespace)
    return mounts


def unmount(target: Path) -> Done:
    """Unmounts `target` in the worker's namespace."""
    return run_tool(["umount", str(target)], timeout_s=MOUNT_TIMEOUT_S)
