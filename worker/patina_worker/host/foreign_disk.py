"""Finds foreign disks: mounted disks without files of Patina. The worker unmounts its copies of their mounts.

A copy keeps the disk busy as the mount itself does, so the host's umount would not free it while the worker lives.
Where mounts are shared, as on most hosts, the host's umount removes the copy too, and nothing is to be done.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from patina.settings import PROJECT_DIR
from patina_worker.host.mounts import own_mounts

_PROGRAMS = ("/usr", "/etc", sys.prefix, sys.base_prefix, str(PROJECT_DIR))
_PLACES = tuple(Path(name) for name in ("/var/tmp", "/tmp", "/dev/shm", "/run", "/root"))
LINKS_LIMIT = 40  # the kernel's: more is a loop


def foreign_disks(*folders: Path) -> list[str]:
    """Returns the mount points of foreign disks, one for each mount, in reverse order.

    In use are the trees `folders` and the targets of their links, the paths in the environment, the programs, and the
    system's shared folders.
    """
    named = [*folders, *(link for folder in folders for link in _links_in(folder)), *map(Path, _named_trees())]
    trees = {step for tree in named for step in _steps_to(tree)}
    known = own_mounts()
    shared = {mount.entry for mount in known if mount.is_shared}
    disks = [mount for mount in known if Path(mount.source).is_block_device()]
    used = {disk.number for disk in disks if _is_used(Path(disk.target), trees)}
    return sorted((d.target for d in disks if d.number not in used and d.parent not in shared), reverse=True)


def _is_used(disk: Path, trees: set[Path]) -> bool:
    if any(place.is_relative_to(disk) for place in _PLACES):
        return True
    return any(tree.is_relative_to(disk) or disk.is_relative_to(tree) for tree in trees)


def _named_trees() -> Iterator[str]:
    """Yields the programs' trees and every path in the settings: spool, core, scan folders, password file."""
    yield from _PROGRAMS
    for name, value in os.environ.items():
        if name.startswith("PATINA_") or name.endswith("_FILE") or name == "PATH":
            yield from (part for part in value.split(":") if part.startswith("/"))


def _links_in(folder: Path) -> list[Path]:
    """Returns the links in the folder: one may place a store or a spool on a larger disk."""
    try:
        return [path for path in folder.iterdir() if path.is_symlink()]
    except OSError:  # absent, or closed to root: the worker does not use its content
        return []


def _steps_to(tree: Path) -> Iterator[Path]:
    """Yields `tree` and the target of each link on its path: these must stay mounted, too."""
    yield Path(os.path.realpath(tree))
    path = tree.absolute()
    for _ in range(LINKS_LIMIT):
        yield path
        link = next((part for part in (*reversed(path.parents), path) if os.path.islink(part)), None)
        if link is None:
            return
        path = Path(os.path.normpath(link.parent / os.readlink(link) / path.relative_to(link)))
