"""The file systems' own checks, read-only: whether there is anything to repair on an unmounted device."""

from patina_worker.failure import FsckFailed
from patina_worker.tool import run_tool

_TIMEOUT_S = 3600
_COMMANDS = {
    "ext4": ["e2fsck", "-fn"],
    "xfs": ["xfs_repair", "-n"],
    "btrfs": ["btrfs", "check", "--readonly"],
}


def check(path: str, *, file_system: str, lock: int | None = None) -> None:
    """Nothing to repair, or FsckFailed: an image's base is clean."""
    argv = [*_COMMANDS[file_system], path]
    done = run_tool(argv, timeout_s=_TIMEOUT_S, inherit=() if lock is None else (lock,))
    if done.returncode != 0:
        raise FsckFailed(f"{' '.join(argv)} ended with {done.returncode}; no image was made.", log=done.output)
