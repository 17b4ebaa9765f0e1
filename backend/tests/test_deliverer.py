"""The deliverer of webhooks as a task: whenever it is told to end, it ends."""

import asyncio
from typing import Literal

import pytest

from patina.webhook.deliverer import Deliverer
from patina_stack.testing_wait import HANG_S


class _Event(asyncio.Event):
    """Says when it is waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.is_awaited = asyncio.Event()

    async def wait(self) -> Literal[True]:
        self.is_awaited.set()
        return await super().wait()


@pytest.mark.parametrize("turns_count", range(6))
def test_a_deliverer_that_is_closed_as_it_wakes_ends(turns_count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each turn of the loop between the two."""
    monkeypatch.setattr(Deliverer, "_look", lambda _, __: [])

    async def _close_as_it_wakes() -> None:
        deliverer = Deliverer()
        deliverer._woken = woken = _Event()
        deliverer.start()
        await woken.is_awaited.wait()
        woken.set()
        for _ in range(turns_count):
            await asyncio.sleep(0)
        await asyncio.wait_for(deliverer.close(), HANG_S)

    asyncio.run(_close_as_it_wakes())
