"""What is in a raw image that came in: blkid's word, and the file system's own check, both confined and read-only."""

import os
from collections.abc import Callable
from dataclasses import dataclass

from patina_worker.confined import run_confined
from patina_worker.node import samples_are_zero
from patina_worker.tool import NOT_INSTALLED, Done

BLKID_TIMEOUT_S = 60.0
CHECK_TIMEOUT_S = 3600.0
_SEVERAL = 8  # blkid's status
_MAGICS = {"xfs": (0, b"XFSB"), "ext4": (1080, b"\x53\xef"), "btrfs": (65_600, b"_BHRfS_M")}


@dataclass(frozen=True)
class Findings:
    """What was found; `file_system` is null where it is none that we know."""

    holds: str | None
    file_system: str | None
    is_clean: bool | None
    check_message: str


Run = Callable[[list[str], float], Done]


def examine(descriptor: int, *, check: Callable[[], None]) -> Findings:
    """Look at the open file; it may not be written to meanwhile."""

    def _run(argv: list[str], timeout_s: float) -> Done:
        return run_confined(argv, check=check, timeout_s=timeout_s, files=(descriptor,))

    place = f"/proc/self/fd/{descriptor}"
    holds = _holds(_run(["blkid", "-p", "-o", "export", place], BLKID_TIMEOUT_S))
    if holds is None and not samples_are_zero(descriptor, os.fstat(descriptor).st_size):
        holds = "unrecognised content"
    if len(_magics(descriptor)) > 1:  # the kernel and the core may take it for another than the check
        return Findings("several signatures", None, None, "Not checked: it has the marks of several file systems.")
    look = {"ext4": _check_ext4, "xfs": _check_xfs, "btrfs": _check_btrfs}.get(holds or "")
    if look is None:
        why = "There is nothing to check" if holds is None else f"There is no check of {holds} here"
        return Findings(holds, None, None, f"{why}.")
    is_clean, message = look(_run, place)
    return Findings(holds, holds, is_clean, message)


def _magics(descriptor: int) -> list[str]:
    return [name for name, (at, magic) in _MAGICS.items() if os.pread(descriptor, len(magic), at) == magic]


def _holds(done: Done) -> str | None:
    found = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    if "TYPE" in found:
        return found["TYPE"]
    if "PTTYPE" in found:
        return f"{ {'gpt': 'GPT', 'dos': 'DOS'}.get(found['PTTYPE'], found['PTTYPE']) } partition table"
    return "several signatures" if done.returncode == _SEVERAL else None


def _missing(tool: str, package: str) -> tuple[None, str]:
    return None, f"Not checked: {tool} is not installed on this host ({package})."


def _check_ext4(run: Run, place: str) -> tuple[bool | None, str]:
    head = run(["dumpe2fs", "-h", place], BLKID_TIMEOUT_S)
    features = next((line for line in head.stdout.splitlines() if line.startswith("Filesystem features:")), "")
    done = run(["e2fsck", "-fn", place], CHECK_TIMEOUT_S)
    if NOT_INSTALLED in (head.returncode, done.returncode):
        return _missing("e2fsck", "e2fsprogs")
    if "needs_recovery" in features:
        return False, "The journal of ext4 is not empty: it was not unmounted. The next mount replays it."
    if done.returncode != 0:
        return False, f"e2fsck -fn ended with {done.returncode}: {_last_line(done)}"
    return True, "e2fsck found nothing to repair."


def _check_xfs(run: Run, place: str) -> tuple[bool | None, str]:
    done = run(["xfs_repair", "-n", "-f", place], CHECK_TIMEOUT_S)
    if done.returncode == NOT_INSTALLED:
        return _missing("xfs_repair", "xfsprogs")
    if "metadata changes in a log" in done.output:
        return False, "The log of xfs is not empty: it was not unmounted. The next mount replays it."
    if done.returncode != 0:
        return False, f"xfs_repair -n ended with {done.returncode}: {_last_line(done)}"
    return True, "xfs_repair found nothing to repair."


def _check_btrfs(run: Run, place: str) -> tuple[bool | None, str]:
    head = run(["btrfs", "inspect-internal", "dump-super", place], BLKID_TIMEOUT_S)
    done = run(["btrfs", "check", "--readonly", place], CHECK_TIMEOUT_S)
    if NOT_INSTALLED in (head.returncode, done.returncode):
        return _missing("btrfs", "btrfs-progs")
    logs = [line.split()[1] for line in head.stdout.splitlines() if line.startswith("log_root\t")]
    if logs not in ([], ["0"]):
        return False, "The log of btrfs is not empty: it was not unmounted. The next mount replays it."
    if done.returncode != 0:
        return False, f"btrfs check ended with {done.returncode}: {_last_line(done)}"
    return True, "btrfs check found nothing to repair."


def _last_line(done: Done) -> str:
    lines = [line.strip() for line in done.output.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"
