"""The only way in which tests wait for another process, a thread or the kernel: poll a condition.

No test asserts a time. The only limit ends a test whose condition never holds; it is far above the needs of a busy
machine, so that a slow machine fails no test.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest

HANG_S = 600.0
_FIRST_PAUSE_S = 0.01
_LONGEST_PAUSE_S = 0.25  # a query takes some milliseconds, and a test that waits should not slow others down
_GROWTH = 1.5

Found = TypeVar("Found")


def wait_until(what: str, ask: Callable[[], Found]) -> Found:
    """Calls `ask` until its result is true, and returns it. The test fails, naming `what`, after HANG_S seconds."""
    pauses = _pauses(what)
    while not (found := ask()):
        time.sleep(next(pauses))
    return found


async def until(what: str, ask: Callable[[], Found]) -> Found:
    """Like `wait_until`, without blocking the event loop."""
    pauses = _pauses(what)
    while not (found := ask()):
        await asyncio.sleep(next(pauses))
    return found


def _pauses(what: str) -> Iterator[float]:
    """Yields the seconds to wait before the next call."""
    limit, pause_s = time.monotonic() + HANG_S, _FIRST_PAUSE_S
    while time.monotonic() < limit:
        yield pause_s
        pause_s = min(pause_s * _GROWTH, _LONGEST_PAUSE_S)
    pytest.fail(f"not within {HANG_S:g} s: {what}")
