"""Processes of patina-core that stay: they answer requests for forecasts without a process start in the way."""

import json
import os
import selectors
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

from patina.errors import PatinaError
from patina.settings import settings

TIMEOUT_S = 10.0
MAX_IDLE_COUNT = 4
_READ_BYTES = 1 << 16


CoreUnavailable = PatinaError.of("core_unavailable", "The native core does not answer", status=503)


class _Gone(Exception):
    """The process ended, or said nothing in time; the message says which."""


class _CoreProcess:
    """One `patina-core forecasts`; for one request at a time."""

    def __init__(self, program: Path) -> None:
        self.program = program
        # A file of its own for what it complains about: nobody reads a pipe as long as all is well.
        self._process = subprocess.Popen(
            [str(program), "forecasts"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self.process_id = os.getpid()
        self._buffer = b""
        self._read_line(time.monotonic() + TIMEOUT_S)  # hello

    def ask(self, line: bytes) -> bytes:
        assert self._process.stdin is not None
        left = memoryview(line)
        try:
            while left:
                left = left[self._process.stdin.write(left) :]
        except OSError as error:
            raise _Gone(f"cannot be written to: {error}") from error
        return self._read_line(time.monotonic() + TIMEOUT_S)

    def _read_line(self, deadline: float) -> bytes:
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise _Gone(f"said nothing for {TIMEOUT_S:.0f} s")
                read = os.read(self._process.stdout.fileno(), _READ_BYTES)
                if not read:
                    raise _Gone(f"ended with {self._process.wait()}")
                self._buffer += read
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        with suppress(OSError):
            self._process.kill()
        self._process.wait()


_idle: list[_CoreProcess] = []
_lock = threading.Lock()


def ask(request: dict[str, object]) -> bytes:
    """The line that answers `request` (native/src/forecasts.h). CoreUnavailable when there is no core that answers."""
    line = json.dumps(request, allow_nan=False).encode() + b"\n"
    try:
        process = _take()
        fresh = process is None
        process = process or _CoreProcess(settings().core)
        try:
            return _answer(process, line)
        except _Gone:
            if fresh:
                raise
        # It may have ended long ago, while nobody asked.
        return _answer(_CoreProcess(settings().core), line)
    except (OSError, _Gone) as error:
        raise CoreUnavailable(f"patina-core {error}. Build it with `make native`.") from error


def _answer(process: _CoreProcess, line: bytes) -> bytes:
    try:
        answer = process.ask(line)
    except BaseException:
        process.close()
        raise
    with _lock:
        kept = len(_idle) < MAX_IDLE_COUNT
        if kept:
            _idle.append(process)
    if not kept:
        process.close()
    return answer


def _take() -> _CoreProcess | None:
    """An idle one of this very process and program: a fork shares no pipe with its parent."""
    with _lock:
        mine = [p for p in _idle if p.process_id == os.getpid() and p.program == settings().core]
        if not mine:
            return None
        _idle.remove(mine[-1])
        return mine[-1]


def close() -> None:
    """End those that are idle."""
    with _lock:
        ended, _idle[:] = list(_idle), []
    for process in ended:
        process.close()
