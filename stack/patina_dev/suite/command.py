"""Runs one command of a layer and measures its times."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ended:
    """The result of a command: its exit status, its output, and its times in seconds.

    `processor_s` is the processor time of the command and of all its descendants that were waited for (wait4).
    """

    status: int
    output: str
    elapsed_s: float
    processor_s: float


def run(argv: list[str], *, environment: dict[str, str], cwd: Path, log: Path) -> Ended:
    """Runs `argv` to its end, its output in `log`. The kernel kills it when the calling thread dies."""
    started = time.monotonic()
    with log.open("wb") as file:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig=KILL", *argv],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            # The kernel gives each session its share of the processors (sched_autogroup, sched(7)): beside other work,
            # several commands get more of them than one. An interrupt at the terminal reaches the suite alone.
            start_new_session=True,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Ended(
        status=process.returncode,
        output=log.read_text(encoding="utf-8", errors="replace"),
        elapsed_s=time.monotonic() - started,
        processor_s=usage.ru_utime + usage.ru_stime,
    )
