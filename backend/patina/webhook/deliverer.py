"""Sends due deliveries: one loop in each process of the API. The database distributes the work among them."""

import asyncio
import contextlib
import time

import structlog
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from patina.db import transaction
from patina.job import silence
from patina.webhook import outbox
from patina.webhook.outbox import Claim
from patina.webhook.sending import Answer, send

PERIOD_S = 5.0
SLOTS_COUNT = 8
FORGETTING_PERIOD_S = 3600.0

log = structlog.get_logger()


class Deliverer:
    """Polls every `PERIOD_S`, or when woken; sends to `SLOTS_COUNT` webhooks at once."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._is_closing = False
        self._deliveries: set[asyncio.Task[None]] = set()
        self._sends: set[asyncio.Task[Answer]] = set()
        self._task: asyncio.Task[None] | None = None
        self._forgot_at = time.monotonic()

    def start(self) -> None:
        """Starts the loop; called once when the application starts."""
        self._task = asyncio.create_task(self._run(), name="webhook-deliverer")

    def wake(self) -> None:
        """Wakes the loop, from any thread: a delivery is due."""
        self._loop.call_soon_threadsafe(self._woken.set)

    async def close(self) -> None:
        """Stops, and releases claims. Cancels only sends: a thread could not be canceled."""
        self._is_closing = True
        self._woken.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        for send_task in self._sends:
            send_task.cancel()
        await asyncio.gather(*self._deliveries, return_exceptions=True)

    async def _run(self) -> None:
        while not self._is_closing:
            try:
                claims = await run_in_threadpool(self._look, SLOTS_COUNT - len(self._deliveries))
            except SQLAlchemyError as error:
                log.warning("webhooks not polled; trying again", error=str(error))
                claims = []
            for claim in claims:
                task = asyncio.create_task(self._deliver(claim), name=f"delivery-{claim.delivery_id}")
                self._deliveries.add(task)
                task.add_done_callback(self._deliveries.discard)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PERIOD_S):  # asyncio.wait_for loses a cancellation at the timeout
                    await self._woken.wait()
            self._woken.clear()

    def _look(self, slots_count: int) -> list[Claim]:
        is_to_forget = time.monotonic() - self._forgot_at > FORGETTING_PERIOD_S
        with transaction() as session:
            if is_to_forget:
                outbox.forget_old(session=session)
                self._forgot_at = time.monotonic()
            silence.ask_for_lost_jobs(session=session)
        with transaction() as session:
            outbox.pass_on(session=session)
            return outbox.claim(session=session, limit=slots_count) if slots_count else []

    async def _deliver(self, claim: Claim) -> None:
        sending = asyncio.create_task(send(claim.parcel))
        if self._is_closing:
            sending.cancel()  # not started yet: nothing is sent
        self._sends.add(sending)
        await asyncio.wait([sending])
        self._sends.discard(sending)
        if sending.cancelled():
            await run_in_threadpool(_release, claim)
            return
        answer = sending.result()
        try:
            await run_in_threadpool(_record, claim, answer)
        except SQLAlchemyError as error:
            log.warning("a delivery's end was not recorded; it is sent again", error=str(error), **_names(claim))
        else:
            log.info("webhook tried", status=answer.status, message=answer.message, **_names(claim))
        self._woken.set()


def _record(claim: Claim, answer: Answer) -> None:
    with transaction() as session:
        outbox.record(session=session, claim=claim, answer=answer)


def _release(claim: Claim) -> None:
    try:
        with transaction() as session:
            outbox.release(session=session, claim=claim)
    except SQLAlchemyError as error:
        log.warning("a claim was not released; it expires", error=str(error), **_names(claim))


def _names(claim: Claim) -> dict[str, int]:
    return {"webhook_id": claim.webhook_id, "delivery_id": claim.delivery_id, "try_number": claim.try_number}
