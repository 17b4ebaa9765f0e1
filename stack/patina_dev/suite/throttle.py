"""Throttles cores: a run that ages until a test ends would take half of two processors."""

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A core takes a sample every 0.4 s, the time at the gate included: it ages for a third of the time.
HOLD_S = 0.25
_LOOK_S = 0.05


@contextmanager
def throttled_cores(folder: Path) -> Iterator[dict[str, str]]:
    """Yields the environment of cores that a gate (native/src/base/gate.h) holds after each sample of stable aging."""
    folder.mkdir()
    fifo = folder / "age.stable"
    os.mkfifo(fifo)
    with throttled_at(fifo):
        yield {"PATINA_GATES": str(folder)}


@contextmanager
def throttled_at(fifo: Path) -> Iterator[None]:
    """Holds cores for a moment each time that they reach this gate."""
    ended = threading.Event()
    thread = threading.Thread(target=_hold, args=(fifo, ended))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _hold(fifo: Path, ended: threading.Event) -> None:
    while not ended.wait(_LOOK_S):
        try:
            writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if error.errno != errno.ENXIO:  # ENXIO: no core waits there
                raise
            continue
        ended.wait(HOLD_S)
        os.close(writer)
