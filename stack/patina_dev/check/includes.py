"""Holds the direction of the core's includes: a folder includes those before it, never those after it."""

import re
from collections.abc import Iterator, Mapping

ROOT = "native/src/"
# From the foundation up. A new folder has its place here.
FOLDERS = (
    "base", "model", "device", "disk_model", "fuse", "shingle", "shingle_server", "area", "smrfs", "layout", "store",
    "image", "trace", "scan", "squash", "piece_log", "emulate", "history", "executor", "personality", "flow", "age",
    "command",
)  # fmt: skip
TESTING = "testing"  # what tests share: it may include every folder, and only tests include it
_INCLUDE = re.compile(r'^#include "([^"/]+)/[^"]+"', re.MULTILINE)
_BARE = re.compile(r'^#include "([^"/]+)"', re.MULTILINE)


def violations(files: Mapping[str, str]) -> list[str]:
    """One line for each include against the direction, without a folder, or of a folder that has no place."""
    return [line for name, text in sorted(files.items()) if name.startswith(ROOT) for line in _of(name, text)]


def _of(name: str, text: str) -> Iterator[str]:
    folder, _, file = name.removeprefix(ROOT).partition("/")
    if not file:
        yield f"{name}: lies in no folder of {ROOT}. Move it into one of {', '.join(FOLDERS)}."
        return
    if folder not in (*FOLDERS, TESTING):
        yield f"{name}: folder {folder} has no place in the order. Add it to FOLDERS (patina_dev/check/includes.py)."
        return
    for bare in _BARE.findall(text):
        yield f'{name}: includes "{bare}" without its folder. Write "FOLDER/{bare}".'
    if folder == TESTING or name.endswith("_test.cc"):
        return
    allowed = FOLDERS[: FOLDERS.index(folder) + 1]
    for included in _INCLUDE.findall(text):
        if included not in allowed:
            yield f"{name}: {folder} includes {included}, which is not before it in {' '.join(FOLDERS)}."
