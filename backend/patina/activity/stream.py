"""Follows a job: replays its stored events, then sends new ones, each once and in order.

One reader of Redis in each API process feeds any number of followers; a quiet job is read from the database once for
all of them. A follower that detects a gap in the sequences reads the database itself: a restart of Redis or a slow
follower leaves no gap in any curve.
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

from patina.activity import events
from patina.db import transaction
from patina.errors import PatinaError
from patina.job import service
from patina.job.feed import StoredEvent, offered
from patina.job.state import ENDED
from patina.queue import EVENT_STREAM
from patina.settings import settings

QUIET_S = 3.0
SEEN_FOR_S = 10.0  # after so long a follower is asked for again whether it still sees the job
QUEUE_LIMIT = 1_000  # events of one follower; about a minute of a fast run
REPLAY_LIMIT = 1_000
CANCEL_AGAIN_S = 0.02
STREAMS_LIMIT = 800  # of one process: each takes a descriptor, of which a process usually has 1 024
READS_AT_ONCE = 2  # of all followers: other requests need threads as well

Answer = TypeVar("Answer")

log = structlog.get_logger()


TooManyStreams = PatinaError.of("too_many_streams", "Too many streams", status=503)


class _Audience:
    """The followers of one job, and the last sequence offered to them."""

    def __init__(self) -> None:
        self.queues: set[asyncio.Queue[StoredEvent | None]] = set()
        self.is_ready = asyncio.Event()
        self.last_sequence = 0
        self.heard_at = 0.0
        self.poller: asyncio.Task[None] | None = None

    def offer(self, event: StoredEvent | None) -> None:
        for queue in self.queues:
            if queue.full():  # slow follower: it detects the gap and reads the database
                while not queue.empty():
                    queue.get_nowait()
            queue.put_nowait(event)
        if event is not None:
            self.last_sequence = max(self.last_sequence, event.sequence)
            self.heard_at = time.monotonic()


class Hub:
    """Reads the live feed once for this process, and a quiet job from the database once, for all followers."""

    def __init__(self) -> None:
        self._audiences: dict[int, _Audience] = {}
        self._task: asyncio.Task[None] | None = None
        self._reads = asyncio.Semaphore(READS_AT_ONCE)
        self._streams_count = 0
        self.is_closing = False

    def start(self) -> None:
        """Starts reading; called once when the application starts."""
        self._task = asyncio.create_task(self._read(), name="job-feed")

    async def close(self) -> None:
        """Ends every stream, so that the server can stop."""
        self.is_closing = True
        for audience in self._audiences.values():
            audience.offer(None)
        # In a loop: a cancellation at the moment of the read's own timeout is lost.
        while self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=CANCEL_AGAIN_S)

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Admits one stream for the duration of the context. Raises TooManyStreams beyond STREAMS_LIMIT."""
        if self._streams_count >= STREAMS_LIMIT:
            raise TooManyStreams(
                f"{STREAMS_LIMIT} streams are open, and the server opens no more. Close pages or programs that "
                "follow jobs, or poll the events of a job.",
                headers={"Retry-After": "5"},
            )
        self._streams_count += 1
        try:
            yield
        finally:
            self._streams_count -= 1

    async def read(self, function: Callable[..., Answer], *arguments: object) -> Answer:
        """Calls `function` in a thread, for one follower. Bounds the calls at once for all followers."""
        async with self._reads:
            return await run_in_threadpool(function, *arguments)

    async def subscribe(self, job_id: int) -> asyncio.Queue[StoredEvent | None]:
        """Returns a queue of the job's events from now on. Call it before reading the stored events, to miss none."""
        queue: asyncio.Queue[StoredEvent | None] = asyncio.Queue(QUEUE_LIMIT)
        audience = self._audiences.setdefault(job_id, _Audience())
        audience.queues.add(queue)
        if audience.poller is None:
            audience.poller = asyncio.create_task(self._poll(job_id, audience), name=f"poll-{job_id}")
        try:
            await audience.is_ready.wait()
        except asyncio.CancelledError:
            self.unsubscribe(job_id, queue)
            raise
        return queue

    def unsubscribe(self, job_id: int, queue: asyncio.Queue[StoredEvent | None]) -> None:
        audience = self._audiences[job_id]
        audience.queues.discard(queue)
        if not audience.queues:
            del self._audiences[job_id]
            if audience.poller is not None:
                audience.poller.cancel()

    async def _poll(self, job_id: int, audience: _Audience) -> None:
        """Offers events that the live feed lost. Followers read the events before the first poll themselves."""
        while not self.is_closing:
            try:
                if not audience.is_ready.is_set():
                    audience.last_sequence = await run_in_threadpool(_last_sequence, job_id)
                    audience.is_ready.set()
                await asyncio.sleep(QUIET_S)
                if time.monotonic() - audience.heard_at >= QUIET_S:
                    for event in await run_in_threadpool(_stored_after, job_id, audience.last_sequence):
                        audience.offer(event)
            except SQLAlchemyError as error:
                log.warning("job not polled; trying again", job_id=job_id, error=str(error))
                await asyncio.sleep(1)

    async def _read(self) -> None:
        last_id = "$"
        client = redis_async.Redis.from_url(settings().redis_url, socket_timeout=10)
        while not self.is_closing:
            try:
                answer: Any = await client.xread({EVENT_STREAM: last_id}, block=5_000, count=500)
                for _, entries in answer:
                    for entry_id, fields in entries:
                        last_id = entry_id
                        self._offer(offered(fields))
            except (RedisError, OSError) as error:
                log.warning("live feed interrupted; followers read the database", error=str(error))
                last_id = "$"
                await asyncio.sleep(1)

    def _offer(self, event: StoredEvent) -> None:
        audience = self._audiences.get(event.job_id)
        if audience is not None:
            audience.offer(event)


def _stored_after(job_id: int, after: int) -> list[StoredEvent]:
    with transaction() as session:
        return events.stored_after(session=session, job_id=job_id, after=after, limit=REPLAY_LIMIT)


def _last_sequence(job_id: int) -> int:
    with transaction() as session:
        return events.last_sequence(session=session, job_id=job_id)


def _has_ended(job_id: int) -> bool:
    """Raises JobUnknown, also if the sender of this request does not see the job."""
    with transaction() as session:
        return service.get_state(session=session, job_id=job_id) in ENDED


async def _replay(hub: Hub, job_id: int, after: int) -> AsyncIterator[StoredEvent]:
    while stored := await hub.read(_stored_after, job_id, after):
        for event in stored:
            yield event
        after = stored[-1].sequence


async def follow_job(*, request: Request, job_id: int, after: int) -> AsyncIterator[StoredEvent]:
    """Yields the job's events with a sequence above `after`; ends with the job, with the server, or when the sender no
    longer sees the job."""
    hub: Hub = request.app.state.hub
    queue = await hub.subscribe(job_id)
    try:
        last, asked_at = after, time.monotonic()
        ended = await hub.read(_has_ended, job_id)
        async for event in _replay(hub, job_id, last):
            yield event
            last, ended = event.sequence, ended or event.is_last
        while not ended and not hub.is_closing:
            came = await queue.get()
            if came is None or came.sequence <= last:
                continue
            if time.monotonic() - asked_at > SEEN_FOR_S:
                await hub.read(_has_ended, job_id)
                asked_at = time.monotonic()
            if came.follows <= last:
                yield came
                last, ended = came.sequence, came.is_last
                continue
            async for event in _replay(hub, job_id, last):
                yield event
                last, ended = event.sequence, ended or event.is_last
    except service.JobUnknown:
        log.info("stream ended: its job is no longer seen", job_id=job_id)
    finally:
        hub.unsubscribe(job_id, queue)
