"""The tracked text files of a checkout."""

import subprocess
from pathlib import Path

from patina_stack import PROJECT_DIR


def tracked(root: Path = PROJECT_DIR) -> dict[str, str]:
    """By path below the root, the text of each tracked file; binary files have none, and count all the same."""
    command = ["git", "-C", str(root), "-c", "safe.directory=*", "ls-files", "-z"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return {name: _text_of(root / name) for name in names if name and (root / name).is_file()}


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""
