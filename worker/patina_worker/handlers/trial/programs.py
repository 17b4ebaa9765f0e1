"""Runs a program that is measured: stoppable, in a process group of its own, its time taken."""

import contextlib
import os
import re
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from patina.core.failure import LOG_TAIL_CHARS, StepFailed, Stopped
from patina.core.supervised import environment
from patina_worker.failure import ToolMissing

ProgramFailed = StepFailed.of("workload_failed", "The workload failed")
TICK_S = 0.05
OUTPUT_BYTES = 16 * 2**20
_DIRTIED = re.compile(r"^write_bytes: (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Ran:
    """A program that has ended."""

    returncode: int
    stdout: str
    stderr: str
    elapsed_s: float
    dirtied_bytes: int | None  # whole pages that it and its children wrote to; null: the kernel does not count them


def run_measured(
    argv: Sequence[str],
    *,
    check: Callable[[], bool],
    inherit: tuple[int, ...],
    cwd: Path,
    package: str,
    stdin: str | Path = "",
    accepted: tuple[int, ...] = (0,),
    variables: Mapping[str, str] | None = None,
) -> Ran:
    """Runs `argv` to its end. Calls `check` throughout; true ends it. `stdin`: its input, or the file with it.
    `variables`: of the environment, besides the usual. ToolMissing, ProgramFailed, Stopped."""
    with _input(stdin) as given, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        began = time.monotonic()
        try:
            process = subprocess.Popen(
                argv,
                stdin=given,
                stdout=stdout,
                stderr=stderr,
                cwd=cwd,
                env=environment() | dict(variables or {}),
                start_new_session=True,
                pass_fds=inherit,
            )
        except OSError as error:
            raise ToolMissing(
                f"{argv[0]} cannot be run: {error.strerror}. Install Debian's package {package} on the host."
            ) from error
        try:
            _await_end(process, check, argv[0])
            elapsed_s, dirtied_bytes = time.monotonic() - began, _dirtied_bytes(process.pid)
        finally:
            with contextlib.suppress(ProcessLookupError):  # what it left running too
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        ran = Ran(process.returncode, _text(stdout.fileno()), _text(stderr.fileno()), elapsed_s, dirtied_bytes)
    if ran.returncode not in accepted:
        log = "\n".join(part for part in (ran.stdout.strip(), ran.stderr.strip()) if part)
        raise ProgramFailed(
            f"{argv[0]} failed with exit status {ran.returncode}; see its output below.", log=log[-LOG_TAIL_CHARS:]
        )
    return ran


@contextlib.contextmanager
def _input(stdin: str | Path) -> Iterator[IO[bytes]]:
    if isinstance(stdin, Path):
        with stdin.open("rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as file:
        file.write(stdin.encode())
        file.seek(0)
        yield file


def _await_end(process: subprocess.Popen[bytes], check: Callable[[], bool], name: str) -> None:
    """Returns as soon as it has ended, and leaves it to be reaped."""
    ended = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        while not poll.poll(TICK_S * 1000):
            if check():
                raise Stopped(f"{name} was stopped.")
    finally:
        os.close(ended)


def _dirtied_bytes(pid: int) -> int | None:
    """Returns what an ended process and the children that it reaped wrote to the page cache."""
    try:
        found = _DIRTIED.search(Path(f"/proc/{pid}/io").read_text(encoding="ascii"))
    except OSError:
        return None
    return int(found[1]) if found else None


def _text(descriptor: int) -> str:
    """Returns the end of the output. The database stores no NUL."""
    begin = max(0, os.fstat(descriptor).st_size - OUTPUT_BYTES)
    return os.pread(descriptor, OUTPUT_BYTES, begin).decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
