"""Runs a tool on an untrusted file: under an account of its own, without capabilities, network or Patina's settings,
within limits.

The tool can read only the files passed to it: they are opened here, and named by their descriptors.
"""

import os
import re
import secrets
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence

from patina.core.supervised import environment
from patina_worker.failure import ToolTooSlow
from patina_worker.tools.run import NOT_INSTALLED, Done

# Ids that no distribution assigns: two tools at once, or a tool and a service, never share one.
FIRST_ACCOUNT, ACCOUNTS_COUNT = 2**30, 2**30
MEMORY_BYTES = 4 * 2**30
TICK_S = 0.1
OUTPUT_BYTES = 2**20
_PERCENT = re.compile(rb"\((\d+\.\d+)/100%\)")


def _argv(argv: Sequence[str], file_bytes: int | None) -> list[str]:
    # Tools that write no file may raise that limit, as xfs_repair does: no file is open to them for writing.
    file_limit = f"--fsize={OUTPUT_BYTES}:unlimited" if file_bytes is None else f"--fsize={file_bytes}"
    limits = ["prlimit", f"--as={MEMORY_BYTES}", file_limit, "--core=0"]
    account = FIRST_ACCOUNT + secrets.randbelow(ACCOUNTS_COUNT)
    drop = ["setpriv", f"--reuid={account}", f"--regid={account}", "--clear-groups", "--no-new-privs"]
    drop += ["--bounding-set=-all", "--inh-caps=-all", "--pdeathsig=KILL"]
    return [*limits, "unshare", "--net", "--ipc", *drop, *argv]


def run_confined(
    argv: Sequence[str],
    *,
    check: Callable[[], None],
    timeout_s: float,
    files: tuple[int, ...],
    file_bytes: int | None = None,
    on_fraction: Callable[[float], None] = lambda _: None,
) -> Done:
    """Runs `argv` to its end; `/proc/self/fd/N` names a file of `files`, which may grow to `file_bytes`.

    Calls `check` several times a second: an exception kills the tool. ToolTooSlow after `timeout_s`.
    """
    # Files, because unread output could fill a pipe.
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        try:
            process = subprocess.Popen(
                _argv(argv, file_bytes),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                env=environment(),
                cwd="/",
                start_new_session=True,
                pass_fds=files,
            )
        except OSError as error:
            return Done(NOT_INSTALLED, "", f"{argv[0]} cannot be run: {error}")
        try:
            _wait(process, argv[0], check, timeout_s, lambda: on_fraction(_fraction(stdout.fileno())))
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return Done(process.returncode, _text(stdout.fileno()), _text(stderr.fileno()))


def _wait(
    process: subprocess.Popen[bytes],
    name: str,
    check: Callable[[], None],
    timeout_s: float,
    tell: Callable[[], None],
) -> None:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            process.wait(TICK_S)
        except subprocess.TimeoutExpired:
            check()
            tell()
            if time.monotonic() > deadline:
                raise ToolTooSlow(f"{name} did not end within {timeout_s:g} s, and was killed.") from None
        else:
            return


def _text(descriptor: int) -> str:
    return os.pread(descriptor, OUTPUT_BYTES, 0).decode(errors="replace")


def _fraction(descriptor: int) -> float:
    """Returns the progress that qemu-img reports."""
    end = os.fstat(descriptor).st_size
    found = _PERCENT.findall(os.pread(descriptor, 200, max(end - 200, 0)))
    return float(found[-1]) / 100 if found else 0.0
