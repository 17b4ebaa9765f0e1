"""Runs a program that is measured: stoppable, in a process group of its own, its time taken."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from patina.core.failure import LOG_TAIL_CHARS, StepFailed, Stopped
from patina.core.supervised import environment
from patina_worker.failure import ToolMissing

ProgramFailed = StepFailed.of("workload_failed", "The workload failed")
TICK_S = 0.05
OUTPUT_BYTES = 16 * 2**20


@dataclass(frozen=True)
class Ran:
    """A program that has ended."""

    returncode: int
    stdout: str
    stderr: str
    elapsed_s: float


def run_measured(
    argv: Sequence[str],
    *,
    check: Callable[[], bool],
    inherit: tuple[int, ...],
    cwd: Path,
    package: str,
    stdin: str = "",
    accepted: tuple[int, ...] = (0,),
) -> Ran:
    """Runs `argv` to its end. Calls `check` throughout; true ends it. ToolMissing, ProgramFailed, Stopped."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        given.write(stdin.encode())
        given.seek(0)
        began = time.monotonic()
        try:
            process = subprocess.Popen(
                argv,
                stdin=given,
                stdout=stdout,
                stderr=stderr,
                cwd=cwd,
                env=environment(),
                start_new_session=True,
                pass_fds=inherit,
            )
        except OSError as error:
            raise ToolMissing(
                f"{argv[0]} cannot be run: {error.strerror}. Install Debian's package {package} on the host."
            ) from error
        try:
            _wait(process, check, argv[0])
        finally:
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        ran = Ran(process.returncode, _text(stdout.fileno()), _text(stderr.fileno()), time.monotonic() - began)
    if ran.returncode not in accepted:
        log = "\n".join(part for part in (ran.stdout.strip(), ran.stderr.strip()) if part)
        raise ProgramFailed(
            f"{argv[0]} failed with exit status {ran.returncode}; see its output below.", log=log[-LOG_TAIL_CHARS:]
        )
    return ran


def _wait(process: subprocess.Popen[bytes], check: Callable[[], bool], name: str) -> None:
    while True:
        try:
            process.wait(TICK_S)
        except subprocess.TimeoutExpired:
            if check():
                raise Stopped(f"{name} was stopped.") from None
        else:
            return


def _text(descriptor: int) -> str:
    return os.pread(descriptor, OUTPUT_BYTES, 0).decode(errors="replace")
