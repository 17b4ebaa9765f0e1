"""Gates: points of a core's work at which a test holds the core, or kills it (gate.h)."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from observe import run_of
from patina.job.state import ENDED
from patina_dev.testing.wait import wait_until


class Gate:
    """A closed gate: every core that reaches its point waits there. It is open once it was held."""

    def __init__(self, fifo: Path) -> None:
        self.point = fifo.name
        self.fifo = fifo
        os.mkfifo(fifo)

    @contextmanager
    def held(self, run_id: int) -> Iterator[None]:
        """Waits for a core of the run at the gate and holds it there while the context lasts."""

        def _end() -> str:
            run = run_of(run_id)
            return f"run {run_id} is {run.state}: {run.message}" if run.state in ENDED else ""

        with self.held_until(_end):
            yield

    @contextmanager
    def held_until(self, end: Callable[[], str]) -> Iterator[None]:
        """Like `held`; the test fails once `end` returns a reason why no core will come any more."""

        def _writer() -> list[int]:
            if why := end():
                pytest.fail(f"no core came to {self.point}: {why}")
            return self._arrived()

        [writer] = wait_until(f"a core stands at {self.point}", _writer)
        try:
            yield
        finally:
            self.fifo.unlink(missing_ok=True)  # first: a core that opened it before then reads the end of file
            os.close(writer)

    def _arrived(self) -> list[int]:
        """Returns the writer's descriptor that holds the waiting cores; empty while there is none."""
        try:
            return [os.open(self.fifo, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)]
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            return []

    def remove(self) -> None:
        """Opens the gate for good, also for a core that waits at a gate that was not held."""
        with suppress(FileNotFoundError):
            writer = os.open(self.fifo, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)  # succeeds without a reader too
            self.fifo.unlink()
            os.close(writer)


class Gates:
    """The folder in which cores search for gates."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._closed: list[Gate] = []
        folder.mkdir()

    def close(self, point: str) -> Gate:
        """Closes the gate at `point`. Call it before a core can reach it."""
        gate = Gate(self.folder / point)
        self._closed.append(gate)
        return gate

    def open_all(self) -> None:
        """Opens all gates at the end of a test."""
        for gate in self._closed:
            gate.remove()
