"""Runs the host's tools: by argv, never a shell; in a process group of their own, with a timeout, output captured."""

import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

SBIN = "/usr/local/sbin:/usr/sbin:/sbin"
NOT_INSTALLED = 127
TIMED_OUT = 124


@dataclass(frozen=True)
class Done:
    """How a tool ended. A tool that is missing or was too slow has ended as well, with a shell's usual status."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        """Everything it said, for a log."""
        return "\n".join(part.strip() for part in (self.stdout, self.stderr) if part.strip())


def environment() -> dict[str, str]:
    """Ours, with the C locale and the folders of administrators' tools."""
    return {**os.environ, "LC_ALL": "C", "PATH": f"{os.environ.get('PATH', os.defpath)}:{SBIN}"}


def run_tool(argv: Sequence[str], *, timeout_s: float = 60, inherit: tuple[int, ...] = ()) -> Done:
    """Run `argv` to its end. It keeps the descriptors in `inherit` (a device's lock) for as long as it lives."""
    try:
        process = subprocess.Popen(
            argv,
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
        stdout, stderr = process.communicate()
        return Done(TIMED_OUT, stdout, f"{stderr}\n{argv[0]} did not end within {timeout_s:g} s")
    return Done(process.returncode, stdout, stderr)
