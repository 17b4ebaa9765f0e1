"""Rests for the cores of an application: an aging that lasts until a test ends it takes half of two processors."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A core takes a sample every 0.4 s, rests included: it ages for a third of the time.
REST_S = 0.25
_LOOK_S = 0.05


@contextmanager
def cores_that_rest(folder: Path) -> Iterator[dict[str, str]]:
    """A core that has this environment stands at a gate (native/src/gate.h) for a while after each sample of stable
    aging."""
    folder.mkdir()
    fifo = folder / "age.stable"
    os.mkfifo(fifo)
    ended = threading.Event()
    thread = threading.Thread(target=_rest, args=(fifo, ended))
    thread.start()
    try:
        yield {"PATINA_GATES": str(folder)}
    finally:
        ended.set()
        thread.join()


def _rest(fifo: Path, ended: threading.Event) -> None:
    while not ended.wait(_LOOK_S):
        try:
            writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:  # no core stands there
            continue
        ended.wait(REST_S)
        os.close(writer)
