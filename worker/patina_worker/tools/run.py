"""Runs the host's tools: by argv without a shell, in a process group of their own, with a timeout, output captured."""

import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from patina.core.supervised import environment
from patina.file_system.row import CORE
from patina.settings import settings

NOT_INSTALLED = 127
TIMED_OUT = 124
MOUNT_TIMEOUT_S = 3600.0  # for a journal replay or a writeback, which a kill would not stop
KILL_PATIENCE_S = 5.0


@dataclass(frozen=True)
class Done:
    """The result of a tool. A missing or timed-out tool has the shell's usual status."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        """Returns all output, for a log."""
        return "\n".join(part.strip() for part in (self.stdout, self.stderr) if part.strip())


def run_tool(argv: Sequence[str], *, timeout_s: float = 60, inherit: tuple[int, ...] = ()) -> Done:
    """Runs `argv`, the core by its name, to its end. It keeps the descriptors in `inherit` (a device's lock) for as
    long as it lives."""
    try:
        process = subprocess.Popen(
            [str(settings().core) if argv[0] == CORE else argv[0], *argv[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=environment(),
            start_new_session=True,
            pass_fds=inherit,
        )
    except OSError as error:
        return Done(NOT_INSTALLED, "", f"{argv[0]} cannot be run: {error}")
    try:
        stdout, stderr = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return _left_behind(process, f"{argv[0]} did not end within {timeout_s:g} s")
    return Done(process.returncode, stdout, stderr)


def _left_behind(process: subprocess.Popen[str], why: str) -> Done:
    """Reaps a killed process, which ends at once unless it is in an uninterruptible read of a dead disk."""
    try:
        stdout, stderr = process.communicate(timeout=KILL_PATIENCE_S)
    except subprocess.TimeoutExpired:
        return Done(TIMED_OUT, "", f"{why}, nor {KILL_PATIENCE_S:g} s after it was killed")
    return Done(TIMED_OUT, stdout, f"{stderr}\n{why}")
