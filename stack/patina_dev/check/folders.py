"""Bounds the number of entries of a folder: what a reader takes in at once."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

ENTRIES_LIMIT = 45


def violations(files: Iterable[str]) -> list[str]:
    """One line for each folder that holds more entries than the limit. A subfolder is one entry."""
    entries: dict[PurePosixPath, set[str]] = defaultdict(set)
    for file in files:
        path = PurePosixPath(file)
        for inner, folder in zip([path, *path.parents], path.parents, strict=False):
            entries[folder].add(inner.name)
    return [
        f"{folder}/: {len(names)} entries; {ENTRIES_LIMIT} at most. Move some into a subfolder named after a concept."
        for folder, names in sorted(entries.items())
        if len(names) > ENTRIES_LIMIT
    ]
