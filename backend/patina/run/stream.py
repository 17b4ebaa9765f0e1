"""Follow a run: replay what is stored, then what comes, each event once and in order.

One reader of Redis an API process feeds any number of followers; of a run that is quiet the database is read once for
all of them. A follower that sees a hole in the numbers reads the database itself: Redis may restart, and a follower may
sleep, without a gap in any curve.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import redis.asyncio as redis_async
import structlog
from fastapi import Request
from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from patina.db import transaction
from patina.errors import PatinaError
from patina.run import service
from patina.run.event import RunEvent, StateChange
from patina.run.feed import STREAM
from patina.run.state import ENDED
from patina.settings import settings

QUIET_S = 3.0
QUEUE_LIMIT = 1_000  # events of one follower; about a minute of a fast run
REPLAY_LIMIT = 1_000
CANCEL_AGAIN_S = 0.02
STREAMS_LIMIT = 800  # of one process: each takes a descriptor, of which a process usually has 1 024
READS_AT_ONCE = 2  # of all followers: other requests need threads as well

Answer = TypeVar("Answer")

log = structlog.get_logger()


class TooManyStreams(PatinaError):
    code = "too_many_streams"
    status = 503
    title = "Too many streams"


class _Audience:
    """Who follows one run, and what they were offered last."""

    def __init__(self) -> None:
        self.queues: set[asyncio.Queue[RunEvent | None]] = set()
        self.is_ready = asyncio.Event()
        self.last_sequence = 0
        self.heard_at = 0.0
        self.poller: asyncio.Task[None] | None = None

    def offer(self, event: RunEvent | None) -> None:
        for queue in self.queues:
            if queue.full():  # asleep: it will see a hole and read the database
                while not queue.empty():
                    queue.get_nowait()
            queue.put_nowait(event)
        if event is not None:
            self.last_sequence = max(self.last_sequence, event.sequence)
            self.heard_at = time.monotonic()


class Hub:
    """Reads the live feed once for this process, and the database once a run that is quiet, however many follow it."""

    def __init__(self) -> None:
        self._audiences: dict[int, _Audience] = {}
        self._task: asyncio.Task[None] | None = None
        self._reads = asyncio.Semaphore(READS_AT_ONCE)
        self._streams_count = 0
        self.is_closing = False

    def start(self) -> None:
        """Begin to read; called once when the application starts."""
        self._task = asyncio.create_task(self._read(), name="run-feed")

    async def close(self) -> None:
        """End every stream, so that the server can stop."""
        self.is_closing = True
        for audience in self._audiences.values():
            audience.offer(None)
        # Again and again: a cancellation that meets the end of the read's own timeout is lost in it.
        while self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=CANCEL_AGAIN_S)

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """One stream, as long as the context lasts. TooManyStreams beyond STREAMS_LIMIT."""
        if self._streams_count >= STREAMS_LIMIT:
            raise TooManyStreams(
                f"{STREAMS_LIMIT} streams of runs are open, and the server opens no more. Close pages or programs that "
                "follow runs, or read the events of a run from time to time.",
                headers={"Retry-After": "5"},
            )
        self._streams_count += 1
        try:
            yield
        finally:
            self._streams_count -= 1

    async def read(self, function: Callable[..., Answer], *arguments: object) -> Answer:
        """Of the database, in a thread, for one follower. Few at once, however many follow."""
        async with self._reads:
            return await run_in_threadpool(function, *arguments)

    async def subscribe(self, run_id: int) -> asyncio.Queue[RunEvent | None]:
        """From now on every event of the run is offered here. Read what is stored after this, not before."""
        queue: asyncio.Queue[RunEvent | None] = asyncio.Queue(QUEUE_LIMIT)
        audience = self._audiences.setdefault(run_id, _Audience())
        audience.queues.add(queue)
        if audience.poller is None:
            audience.poller = asyncio.create_task(self._poll(run_id, audience), name=f"poll-{run_id}")
        try:
            await audience.is_ready.wait()
        except asyncio.CancelledError:
            self.unsubscribe(run_id, queue)
            raise
        return queue

    def unsubscribe(self, run_id: int, queue: asyncio.Queue[RunEvent | None]) -> None:
        audience = self._audiences[run_id]
        audience.queues.discard(queue)
        if not audience.queues:
            del self._audiences[run_id]
            if audience.poller is not None:
                audience.poller.cancel()

    async def _poll(self, run_id: int, audience: _Audience) -> None:
        """Offer what the live feed has lost. What is stored before the first look, followers read themselves."""
        while not self.is_closing:
            try:
                if not audience.is_ready.is_set():
                    audience.last_sequence = await run_in_threadpool(_last_sequence, run_id)
                    audience.is_ready.set()
                await asyncio.sleep(QUIET_S)
                if time.monotonic() - audience.heard_at >= QUIET_S:
                    for event in await run_in_threadpool(_stored_after, run_id, audience.last_sequence):
                        audience.offer(event)
            except SQLAlchemyError as error:
                log.warning("run not polled; trying again", run_id=run_id, error=str(error))
                await asyncio.sleep(1)

    async def _read(self) -> None:
        last_id = "$"
        client = redis_async.Redis.from_url(settings().redis_url, socket_timeout=10)
        while not self.is_closing:
            try:
                answer: Any = await client.xread({STREAM: last_id}, block=5_000, count=500)
                for _, entries in answer:
                    for entry_id, fields in entries:
                        last_id = entry_id
                        self._offer(RunEvent.model_validate_json(fields[b"event"]))
            except (RedisError, OSError) as error:
                log.warning("live feed interrupted; followers read the database", error=str(error))
                last_id = "$"
                await asyncio.sleep(1)

    def _offer(self, event: RunEvent) -> None:
        audience = self._audiences.get(event.run_id)
        if audience is not None:
            audience.offer(event)


def _stored_after(run_id: int, after: int) -> list[RunEvent]:
    with transaction() as session:
        return service.list_events(session=session, run_id=run_id, after=after, limit=REPLAY_LIMIT).items


def _last_sequence(run_id: int) -> int:
    with transaction() as session:
        return service.get_last_sequence(session=session, run_id=run_id)


def _has_ended(run_id: int) -> bool:
    with transaction() as session:
        return service.get_state(session=session, run_id=run_id) in ENDED


def _is_last(event: RunEvent) -> bool:
    return isinstance(event.payload, StateChange) and event.payload.state in ENDED


async def _replay(hub: Hub, run_id: int, after: int) -> AsyncIterator[RunEvent]:
    while events := await hub.read(_stored_after, run_id, after):
        for event in events:
            yield event
        after = events[-1].sequence


async def follow_run(*, request: Request, run_id: int, after: int) -> AsyncIterator[RunEvent]:
    """Every event of the run with a sequence above `after`; ends with the run, or with the server."""
    hub: Hub = request.app.state.hub
    queue = await hub.subscribe(run_id)
    try:
        last = after
        ended = await hub.read(_has_ended, run_id)
        async for event in _replay(hub, run_id, last):
            yield event
            last, ended = event.sequence, ended or _is_last(event)
        while not ended and not hub.is_closing:
            offered = await queue.get()
            if offered is None or offered.sequence <= last:
                continue
            if offered.follows <= last:
                yield offered
                last, ended = offered.sequence, _is_last(offered)
                continue
            async for event in _replay(hub, run_id, last):
                yield event
                last, ended = event.sequence, ended or _is_last(event)
    finally:
        hub.unsubscribe(run_id, queue)
