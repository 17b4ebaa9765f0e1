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

# Read by the loader and by Python when a program is executed: one that is forked takes no notice.
_READ_AT_EXECUTION = ("LD_", "GLIBC_", "PYTHON")


class ForkedProcess:
    """As a subprocess.Popen, of which `pid` has a session of its own."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        first, descriptors, _, _ = socket.recv_fds(connection, 32, 1)
        assert first, "the template has ended; see what it wrote above"
        self.pid, self._pidfd = int(first), descriptors[0]
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit status once it has ended."""
        return self._await_end(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status. subprocess.TimeoutExpired if it has not ended after so many seconds."""
        status = self._await_end(timeout)
        if status is None:
            raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0.0)
        return status

    def send_signal(self, number: signal.Signals) -> None:
        """Send it, unless the process has ended."""
        if self.poll() is None:
            signal.pidfd_send_signal(self._pidfd, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
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
        """Start `argv`, a `python -m MODULE` of this interpreter, in this folder. It writes to the end of `log`."""
        python, option, module, *arguments = argv
        assert (python, option) == (sys.executable, "-m"), argv
        late = _read_at_execution(environment).items() - self._read_at_execution.items()
        assert not late, f"a forked process takes no notice of {late}"
        asked = {
            "module": module,
            "arguments": arguments,
            "environment": dict(environment),
            "folder": str(Path.cwd()),
            "log": str(log),
        }
        log.touch()  # there at once, as if it had been opened here
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._control, [b"."], [theirs.fileno()])
        ours.sendall(json.dumps(asked).encode() + b"\n")
        return ForkedProcess(ours)

    def close(self) -> None:
        """It ends; what was forked goes on."""
        self._control.close()
        self._process.wait()


def _read_at_execution(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_READ_AT_EXECUTION)}


@lru_cache(maxsize=1)
def template() -> Template:
    """The one of this process, begun when it is first asked for."""
    return Template()


def close_template() -> None:
    """End it, if it was begun."""
    if template.cache_info().currsize > 0:
        template().close()
        template.cache_clear()
