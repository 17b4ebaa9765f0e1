"""The one way in which tests wait for what another process, thread or the kernel does: ask until it is so.

No test asserts a time. The only limit ends a test whose condition never comes; it is far above what a busy
machine needs, so that a slow machine fails no test.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest

HANG_S = 600.0
_FIRST_PAUSE_S = 0.01
_LONGEST_PAUSE_S = 0.25  # to ask a database costs some milliseconds: a test that waits should not keep others waiting
_GROWTH = 1.5

Found = TypeVar("Found")


def wait_until(what: str, ask: Callable[[], Found]) -> Found:
    """Ask until the answer is true, and return it. The test fails, naming `what`, after HANG_S seconds."""
    pauses = _pauses(what)
    while not (found := ask()):
        time.sleep(next(pauses))
    return found


async def until(what: str, ask: Callable[[], Found]) -> Found:
    """As `wait_until`, while the event loop goes on."""
    pauses = _pauses(what)
    while not (found := ask()):
        await asyncio.sleep(next(pauses))
    return found


def _pauses(what: str) -> Iterator[float]:
    """Seconds to wait before the next question."""
    limit, pause_s = time.monotonic() + HANG_S, _FIRST_PAUSE_S
    while time.monotonic() < limit:
        yield pause_s
        pause_s = min(pause_s * _GROWTH, _LONGEST_PAUSE_S)
    pytest.fail(f"not within {HANG_S:g} s: {what}")
