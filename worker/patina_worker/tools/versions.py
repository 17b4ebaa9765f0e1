"""Versions of the programs whose behaviour affects an image: for the recipe and for the host's card."""

import re
from functools import lru_cache

from patina.file_system.table import ROWS
from patina.settings import settings
from patina_worker.tools.run import run_tool

_VERSION = re.compile(r"\d+\.\d[\w.+-]*")


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Returns each tool's own version, by name; "missing" for one that does not run."""
    commands = {"patina-core": [str(settings().core), "--version"]}
    commands |= {tool: [tool, flag] for row in ROWS.values() for tool, flag in row.tools.items()}
    commands |= {
        "mount": ["mount", "--version"],
        "qemu-img": ["qemu-img", "--version"],
        "losetup": ["losetup", "--version"],
        "smartctl": ["smartctl", "--version"],
    }
    return {name: _version_of(argv) for name, argv in commands.items()}


@lru_cache(maxsize=1)
def versions_of_workloads() -> dict[str, str]:
    """Returns the versions of the programs that trials measure with; PostMark prints none."""
    return {name: _version_of([name, "--version"]) for name in ("fio", "git", "grep", "find", "du", "rm")}


def _version_of(argv: list[str]) -> str:
    done = run_tool(argv, timeout_s=10)
    found = _VERSION.search(done.output)
    return found[0] if done.returncode == 0 and found else "missing"
