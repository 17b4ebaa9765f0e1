"""The one way in which tests wait for what another process, thread or the kernel does: ask until it is so.

No test asserts a time. The only limit ends a test whose condition never comes; it is far above what a busy
machine needs, so that a slow machine fails no test.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

HANG_S = 300.0
_PAUSE_S = 0.02

Found = TypeVar("Found")


def wait_until(what: str, ask: Callable[[], Found]) -> Found:
    """Ask until the answer is true, and return it. The test fails, naming `what`, after HANG_S seconds."""
    limit = time.monotonic() + HANG_S
    while not (found := ask()):
        _require_time_left(what, limit)
        time.sleep(_PAUSE_S)
    return found


async def until(what: str, ask: Callable[[], Found]) -> Found:
    """As `wait_until`, while the event loop goes on."""
    limit = time.monotonic() + HANG_S
    while not (found := ask()):
        _require_time_left(what, limit)
        await asyncio.sleep(_PAUSE_S)
    return found


def _require_time_left(what: str, limit: float) -> None:
    if time.monotonic() > limit:
        pytest.fail(f"not within {HANG_S:g} s: {what}")
