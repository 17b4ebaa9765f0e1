"""The deliverer of webhooks as a task: it ends at any time, and keeps no claim."""

import asyncio
import threading
from typing import Literal

import pytest
from sqlalchemy.orm import Session

from patina.db import transaction
from patina.webhook import outbox
from patina.webhook.deliverer import Deliverer
from patina.webhook.models import DeliveryState, Webhook, WebhookDelivery
from patina.webhook.outbox import Claim
from patina.webhook.sending import Answer
from patina_dev.testing.wait import HANG_S, until


class _Event(asyncio.Event):
    """Signals when it is waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.is_awaited = asyncio.Event()

    async def wait(self) -> Literal[True]:
        self.is_awaited.set()
        return await super().wait()


@pytest.mark.parametrize("turns_count", range(6))
def test_a_deliverer_that_is_closed_as_it_wakes_ends(turns_count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each iteration of the event loop in between."""
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


class _Gate:
    """Holds a thread's step after its work and before its commit."""

    def __init__(self) -> None:
        self.is_reached = threading.Event()
        self.is_open = threading.Event()

    def wait(self) -> None:
        self.is_reached.set()
        assert self.is_open.wait(HANG_S)


async def _close_at(gate: _Gate) -> None:
    """Starts a deliverer, and closes it while its thread waits at the gate."""
    deliverer = Deliverer()
    deliverer.start()
    await until("the step is reached", gate.is_reached.is_set)
    closing = asyncio.create_task(deliverer.close())
    try:
        for _ in range(10):  # more iterations than a close without a thread needs
            await asyncio.sleep(0)
        assert not closing.done(), "a thread goes on after its application has ended"
    finally:
        gate.is_open.set()
        await closing


@pytest.fixture
def due(clean_database: None) -> int:
    """Returns the id of a due delivery."""
    with transaction() as session:
        webhook = Webhook(
            title="Lab", url="https://hooks.example/", secret="whsec_", kinds=["succeeded"], is_enabled=True
        )
        session.add(webhook)
        session.flush()
        delivery = WebhookDelivery(
            webhook_id=webhook.id, message_id="msg_1", type="ping", body="{}", state=DeliveryState.PENDING,
            tries_count=0, next_try_at=webhook.created_at,
        )  # fmt: skip
        session.add(delivery)
        session.flush()
        return delivery.id


def _row(delivery_id: int) -> tuple[str, int, bool]:
    """Returns its state, its tries, and whether its webhook is claimed."""
    with transaction() as session:
        delivery = session.get_one(WebhookDelivery, delivery_id)
        webhook = session.get_one(Webhook, delivery.webhook_id)
        return delivery.state, delivery.tries_count, webhook.busy_until is not None


def test_what_is_claimed_while_the_deliverer_is_closed_is_given_back(due: int, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, claim = _Gate(), outbox.claim

    def _claim(*, session: Session, limit: int) -> list[Claim]:
        claims = claim(session=session, limit=limit)
        gate.wait()
        return claims

    monkeypatch.setattr(outbox, "claim", _claim)
    asyncio.run(_close_at(gate))
    assert _row(due) == ("pending", 0, False)


def test_what_was_answered_while_the_deliverer_is_closed_is_recorded(due: int, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, record = _Gate(), outbox.record

    async def _send(_: object) -> Answer:
        return Answer(200, "Answered 200 OK")

    def _record(*, session: Session, claim: Claim, answer: Answer) -> None:
        record(session=session, claim=claim, answer=answer)
        gate.wait()

    monkeypatch.setattr("patina.webhook.deliverer.send", _send)
    monkeypatch.setattr(outbox, "record", _record)
    asyncio.run(_close_at(gate))
    assert _row(due) == ("delivered", 1, False)
