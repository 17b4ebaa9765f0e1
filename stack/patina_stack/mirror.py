"""Copies trees of immutable files: only what the target lacks."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PART = ".part"


@dataclass
class Mirrored:
    """Files of the source: copied, and found in the target already."""

    copied_count: int = 0
    copied_bytes: int = 0
    kept_count: int = 0

    @property
    def files_count(self) -> int:
        return self.copied_count + self.kept_count


def mirror(source: Path, target: Path, mirrored: Mirrored) -> None:
    """Copies every regular file that `target` lacks or has with another size or time, with mode, owner and time. A file
    that disappears meanwhile is left out. A copy appears under its name when it is complete."""
    for folder, names in _folders(source):
        into = target / folder.relative_to(source)
        into.mkdir(parents=True, exist_ok=True)
        _take_over(folder.stat(), into)
        for name in names:
            copy_file(folder / name, into / name, mirrored)


def prune(source: Path, target: Path) -> int:
    """Removes from `target` the files that `source` lacks, and returns their number."""
    removed_count = 0
    for folder, names in _folders(target):
        of_source = source / folder.relative_to(target)
        for name in names:
            if not (of_source / name).exists():
                (folder / name).unlink()
                removed_count += 1
    return removed_count


def _folders(top: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yields the folders below `top`, parents first, and the names of their regular files."""
    for folder, _, _ in os.walk(top):
        with os.scandir(folder) as entries:
            yield Path(folder), sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))


def copy_file(file: Path, copy: Path, mirrored: Mirrored) -> None:
    """Copies a file as `mirror` does."""
    try:
        facts = file.stat(follow_symlinks=False)
        if _is_same(facts, copy):
            mirrored.kept_count += 1
            return
        part = copy.with_name(f"{copy.name}{_PART}")
        shutil.copyfile(file, part, follow_symlinks=False)
    except FileNotFoundError:
        return
    _take_over(facts, part)
    os.utime(part, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    part.replace(copy)
    mirrored.copied_count += 1
    mirrored.copied_bytes += facts.st_size


def _is_same(facts: os.stat_result, copy: Path) -> bool:
    try:
        found = copy.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (found.st_size, found.st_mtime_ns) == (facts.st_size, facts.st_mtime_ns)


def _take_over(facts: os.stat_result, path: Path) -> None:
    path.chmod(facts.st_mode & 0o7777)
    if os.geteuid() == 0:
        os.chown(path, facts.st_uid, facts.st_gid)
