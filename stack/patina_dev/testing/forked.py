"""Starts `python -m MODULE` in tests by forking a process that has loaded its modules already (template.py)."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

# Variables that the loader and Python read at execution: a forked process ignores them.
_READ_AT_EXECUTION = ("LD_", "GLIBC_", "PYTHON")


class ForkedProcess:
    """A process like a subprocess.Popen, in a session of its own."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        first, descriptors, _, _ = socket.recv_fds(connection, 32, 1)
        assert first, "the template has ended; see what it wrote above"
        self.pid, self._pidfd = int(first), descriptors[0]
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Returns its exit status, or None while it runs."""
        return self._await_end(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Waits for its exit status. subprocess.TimeoutExpired after `timeout` seconds."""
        status = self._await_end(timeout)
        if status is None:
            raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0.0)
        return status

    def send_signal(self, number: signal.Signals) -> None:
        """Sends the signal, unless the process has ended."""
        if self.poll() is None:
            signal.pidfd_send_signal(self._pidfd, number)

    def terminate(self) -> None:
        """Sends SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Sends SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def _await_end(self, timeout_s: float | None) -> int | None:
        if self.returncode is None and select.select([self._connection], [], [], timeout_s)[0]:
            self.returncode = os.waitstatus_to_exitcode(int(self._connection.recv(32)))
            self._connection.close()
            os.close(self._pidfd)
        return self.returncode


class Template:
    """The process that others are forked from."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "patina_dev.testing.template"], stdin=theirs.fileno()
            )
        self._read_at_execution = _read_at_execution(os.environ)

    def fork(self, argv: Sequence[str], *, environment: Mapping[str, str], log: Path) -> ForkedProcess:
        """Starts `argv`, a `python -m MODULE` of this interpreter, in this folder. It appends to `log`."""
        python, option, module, *arguments = argv
        assert (python, option) == (sys.executable, "-m"), argv
        late = _read_at_execution(environment).items() - self._read_at_execution.items()
        assert not late, f"a forked process ignores {late}"
        asked = {
            "module": module,
            "arguments": arguments,
            "environment": dict(environment),
            "folder": str(Path.cwd()),
            "log": str(log),
        }
        log.touch()  # exists at once, as if opened here
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._control, [b"."], [theirs.fileno()])
        ours.sendall(json.dumps(asked).encode() + b"\n")
        return ForkedProcess(ours)

    def close(self) -> None:
        """Ends the template; forked processes go on."""
        self._control.close()
        self._process.wait()


def _read_at_execution(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_READ_AT_EXECUTION)}


@lru_cache(maxsize=1)
def template() -> Template:
    """Returns the template of this process, started at the first call."""
    return Template()


def close_template() -> None:
    """Ends the template, if it was started."""
    if template.cache_info().currsize > 0:
        template().close()
        template.cache_clear()
