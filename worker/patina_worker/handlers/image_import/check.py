"""Examines the content of an imported raw image by blkid and by the file system's own check, confined and read-only."""

import os
from collections.abc import Callable
from dataclasses import dataclass

from patina.file_system.table import ROWS, UNKNOWN_CONTENT, name_of, row_of
from patina_worker.host.device_node import samples_are_zero
from patina_worker.tools.run import NOT_INSTALLED, Done
from patina_worker.tools.unprivileged import run_confined

BLKID_TIMEOUT_S = 60.0
CHECK_TIMEOUT_S = 3600.0
_SEVERAL = 8  # blkid's status


@dataclass(frozen=True)
class Findings:
    """The result of an examination; `file_system` is null where Patina does not support it."""

    holds: str | None
    file_system: str | None
    is_clean: bool | None
    check_message: str


Run = Callable[[list[str], float], Done]


def examine(descriptor: int, *, check: Callable[[], None]) -> Findings:
    """Examines the open file, which must not be written to meanwhile."""

    def _run(argv: list[str], timeout_s: float) -> Done:
        return run_confined(argv, check=check, timeout_s=timeout_s, files=(descriptor,))

    place = f"/proc/self/fd/{descriptor}"
    holds = _holds(_run(["blkid", "-p", "-o", "export", place], BLKID_TIMEOUT_S))
    if holds is None and not samples_are_zero(descriptor, os.fstat(descriptor).st_size):
        holds = UNKNOWN_CONTENT
    if _marks_count(descriptor) > 1:  # the kernel and the core may recognise another one than the check
        return Findings("several signatures", None, None, "Not checked: it has the marks of several file systems.")
    if holds is None or holds not in ROWS:
        why = "There is nothing to check" if holds is None else f"There is no check of {holds} here"
        return Findings(holds, None, None, f"{why}.")
    is_clean, message = _check(_run, holds, place)
    return Findings(holds, holds, is_clean, message)


def _marks_count(descriptor: int) -> int:
    marks = {row.magic for row in ROWS.values() if not row.label}
    return sum(os.pread(descriptor, len(mark.value), mark.offset_bytes) == mark.value for mark in marks)


def _holds(done: Done) -> str | None:
    found = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    if "TYPE" in found:
        return name_of(found["TYPE"], found.get("LABEL"))
    if "PTTYPE" in found:
        return f"{ {'gpt': 'GPT', 'dos': 'DOS'}.get(found['PTTYPE'], found['PTTYPE']) } partition table"
    return "several signatures" if done.returncode == _SEVERAL else None


def _check(run: Run, name: str, place: str) -> tuple[bool | None, str]:
    row = row_of(name)
    if row.serve is not None:
        return None, f"Not checked: the check of {name} needs a device."
    head, done = run([*row.describe, place], BLKID_TIMEOUT_S), run([*row.check, place], CHECK_TIMEOUT_S)
    program = " ".join(word for word in row.check if not word.startswith("-"))
    if NOT_INSTALLED in (head.returncode, done.returncode):
        return None, f"Not checked: {program} is not installed on this host ({row.package})."
    if row.unreplayed is not None and row.unreplayed.search(f"{head.stdout}\n{done.output}"):
        return False, f"The journal of {name} is not empty: it was not unmounted. The next mount replays it."
    if done.returncode != 0:
        return False, f"{' '.join(row.check)} failed with exit status {done.returncode}: {_last_line(done)}"
    if row.unmounted is not None and not row.unmounted.search(head.stdout):
        return False, f"{name} was not unmounted, or has known errors, and has no journal to replay. Repair it first."
    return True, f"{program} found nothing to repair."


def _last_line(done: Done) -> str:
    lines = [line.strip() for line in done.output.splitlines() if line.strip()]
    return lines[-1] if lines else "no output"
