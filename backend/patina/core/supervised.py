"""Runs patina-core, the only module that does: reads its records, handles its end and its death."""

import contextlib
import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from patina.core.failure import CoreDied, CoreFailed, CoreKilled, CoreProtocol, CoreStalled, StepFailed, Stopped
from patina.core.record import Command, CoreError, Record, Result
from patina.settings import settings

TICK_S = 0.2
STOP_GRACE_S = 60.0  # from SIGTERM to SIGKILL: a checkpoint and a syncfs of a slow device
SILENCE_S = 900.0  # a sync of a slow device may hold all threads for minutes
LINE_LIMIT_BYTES = 8 * 2**20
STDERR_TAIL_BYTES = 8_000
_READ_BYTES = 2**16
SBIN = "/usr/local/sbin:/usr/sbin:/sbin"
_PASSED_ON = ("TMPDIR", "PATINA_GATES")  # the second holds a core at a gate of a test


def environment() -> dict[str, str]:
    """Returns the environment of started programs, without Patina's settings: one is the database's password."""
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return passed_on | {"LC_ALL": "C", "PATH": f"{os.environ.get('PATH', os.defpath)}:{SBIN}"}


class Steer(Protocol):
    """Steers a running core."""

    @property
    def is_paused(self) -> bool:
        """Returns whether the core is paused and thus silent, possibly for days."""

    def lines(self) -> Sequence[str]:
        """Returns lines to send to the core now; called several times a second."""


@dataclass(frozen=True)
class Limits:
    """Limits of a core, and its input."""

    document: str | None = None  # its standard input
    memory_bytes: int | None = None  # of its address space
    grace_s: float | None = None  # from the request to stop to SIGKILL; STOP_GRACE_S when absent


class _Core:
    """One running patina-core, the leader of its own process group."""

    def __init__(self, argv: Sequence[str], inherit: tuple[int, ...], steer: Steer | None, limits: Limits) -> None:
        self._steer = steer
        self._limits = limits
        self._grace_s = STOP_GRACE_S if limits.grace_s is None else limits.grace_s
        self.name = f"patina-core {argv[0]}"
        self._stderr = b""
        self._line = b""
        self._term_at: float | None = None
        try:
            self._process = subprocess.Popen(
                [str(settings().core), *argv],
                stdin=subprocess.DEVNULL if steer is None and limits.document is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment(),
                start_new_session=True,
                pass_fds=inherit,
            )
        except OSError as error:
            raise CoreDied(
                f"{settings().core} cannot be run: {error.strerror}. Build it with `make native`."
            ) from error
        self._begin()

    def _begin(self) -> None:
        with contextlib.suppress(OSError):  # it has already ended
            if self._limits.memory_bytes is not None:
                resource.prlimit(self._process.pid, resource.RLIMIT_AS, (self._limits.memory_bytes,) * 2)
                # When memory runs out, the kernel kills this process before any other.
                Path(f"/proc/{self._process.pid}/oom_score_adj").write_text("1000", encoding="ascii")
        if self._limits.document is not None and self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError), self._process.stdin as stdin:  # it may fail without reading
                stdin.write(self._limits.document.encode())

    @property
    def log(self) -> str:
        return self._stderr.decode(errors="replace")

    @property
    def is_told_to_stop(self) -> bool:
        return self._term_at is not None

    def lines(self, check: Callable[[], bool]) -> Iterator[bytes]:
        """Yields the core's lines until it closes stdout. Calls `check` throughout; true requests a stop."""
        heard_at = time.monotonic()
        with selectors.DefaultSelector() as selector:
            for stream in (self._process.stdout, self._process.stderr):
                assert stream is not None
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ)
            while selector.get_map():
                for key, _ in selector.select(TICK_S):
                    heard_at = time.monotonic()
                    data = os.read(key.fd, _READ_BYTES)
                    if not data:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is self._process.stderr:
                        self._hear(data)
                    else:
                        yield from self._split(data)
                if check():
                    self._ask_to_stop()
                if self._steer is not None:
                    self._tell(self._steer.lines())
                    heard_at = time.monotonic() if self._steer.is_paused else heard_at
                if time.monotonic() - heard_at > SILENCE_S:
                    raise CoreStalled(f"{self.name} has written nothing for {SILENCE_S:g} s.")

    def _tell(self, lines: Sequence[str]) -> None:
        """Sends lines. A few short lines always fit into the pipe; an ended core needs none."""
        if lines and self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
                self._process.stdin.flush()

    def _split(self, data: bytes) -> list[bytes]:
        *lines, self._line = (self._line + data).split(b"\n")
        if len(self._line) > LINE_LIMIT_BYTES:
            raise CoreProtocol(f"{self.name} wrote a line of more than {LINE_LIMIT_BYTES} bytes.")
        return lines

    def _ask_to_stop(self) -> None:
        now = time.monotonic()
        if self._term_at is None:
            self._term_at = now
            self._signal(signal.SIGTERM)
        elif now - self._term_at > self._grace_s:
            self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    def wait(self) -> int:
        """Returns the core's exit status; called after it closed stdout."""
        try:
            return self._process.wait(timeout=self._grace_s)
        except subprocess.TimeoutExpired as error:
            raise CoreStalled(f"{self.name} has closed its output but does not end.") from error

    def end(self) -> None:
        """Ends the process group in every case. Its last output goes to the log."""
        if self._process.poll() is None:
            self._signal(signal.SIGKILL)
            self._process.wait()
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        if not self._process.stderr.closed:
            self._hear(self._process.stderr.read() or b"")
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self._process.stdout.close()
        self._process.stderr.close()

    def _hear(self, data: bytes) -> None:
        self._stderr = (self._stderr + data)[-STDERR_TAIL_BYTES:]


def run_core(
    command: Command[Record, Result],
    argv: Sequence[str],
    *,
    check: Callable[[], bool],
    on_record: Callable[[Record], object] = lambda _: None,
    inherit: tuple[int, ...] = (),
    steer: Steer | None = None,
    limits: Limits | None = None,
) -> Result:
    """Runs a command of the core with these arguments. Returns its result. `on_record` gets all records but errors.

    Calls `check` several times a second: true requests the core to stop, an exception kills it.
    Raises Stopped after a requested stop without a result; CoreFailed, CoreDied, CoreProtocol or CoreStalled.
    """
    core = _Core([*command.name.split(), *argv], inherit, steer, limits or Limits())
    result: Result | None = None
    try:
        for line in core.lines(check):
            try:
                record = command.record.validate_json(line)
            except ValidationError as error:
                raise CoreProtocol(f"{core.name} wrote {line[:300]!r}: {error}") from error
            if isinstance(record, CoreError):
                if record.code == Stopped.code and core.is_told_to_stop:
                    raise Stopped(record.message)
                raise CoreFailed(record.code, record.message)
            on_record(record)
            result = record if isinstance(record, command.result) else None
        return _ended(core, result)
    except StepFailed as error:
        core.end()
        error.log = core.log
        raise
    finally:
        core.end()


def _ended(core: _Core, result: Result | None) -> Result:
    """Returns the result of a core that succeeded."""
    returncode = core.wait()
    if returncode == -signal.SIGKILL:
        raise CoreKilled(f"{core.name} was killed from outside by SIGKILL, as the kernel does where memory runs out.")
    if returncode == -signal.SIGTERM and core.is_told_to_stop:
        raise Stopped(f"{core.name} was stopped before it had begun.")
    if returncode < 0:
        raise CoreDied(f"{core.name} was killed by {signal.Signals(-returncode).name}.")
    if returncode != 0 or result is None:
        raise CoreDied(f"{core.name} ended with {returncode} and without a summary.")
    return result
