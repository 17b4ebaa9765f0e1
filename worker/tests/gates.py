"""Gates: a core that a test holds at a point of its work, for as long as it looks, or kills it there (gate.h)."""

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
    """A closed gate: every core that comes to its point waits there. It is open once it was held."""

    def __init__(self, fifo: Path) -> None:
        self.point = fifo.name
        self.fifo = fifo
        os.mkfifo(fifo)

    @contextmanager
    def held(self, run_id: int) -> Iterator[None]:
        """From when a core of the run stands at the gate until this ends: then the core goes on."""

        def _end() -> str:
            run = run_of(run_id)
            return f"run {run_id} is {run.state}: {run.message}" if run.state in ENDED else ""

        with self.held_until(_end):
            yield

    @contextmanager
    def held_until(self, end: Callable[[], str]) -> Iterator[None]:
        """As `held`; the test fails once `end` says that no core will come any more, and why."""

        def _writer() -> list[int]:
            if why := end():
                pytest.fail(f"no core came to {self.point}: {why}")
            return self._arrived()

        [writer] = wait_until(f"a core stands at {self.point}", _writer)
        try:
            yield
        finally:
            self.fifo.unlink(missing_ok=True)  # first: a core that opened it before sees the writer go
            os.close(writer)

    def _arrived(self) -> list[int]:
        """What holds the cores that stand here; empty while there is none."""
        try:
            return [os.open(self.fifo, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)]
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            return []

    def remove(self) -> None:
        """Let everything pass from now on, and what stands here when this was not held."""
        with suppress(FileNotFoundError):
            writer = os.open(self.fifo, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)  # also where no core stands
            self.fifo.unlink()
            os.close(writer)


class Gates:
    """The folder in which cores look for gates."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._closed: list[Gate] = []
        folder.mkdir()

    def close(self, point: str) -> Gate:
        """Before a core can come there."""
        gate = Gate(self.folder / point)
        self._closed.append(gate)
        return gate

    def open_all(self) -> None:
        """At the end of a test: nothing waits any more."""
        for gate in self._closed:
            gate.remove()
