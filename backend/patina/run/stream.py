"""Follow a run: replay what is stored, then what comes, each event once and in order.

One reader of Redis per API process feeds any number of followers. A follower that sees a hole in the
numbers, or hears nothing for a while, reads the database: Redis may restart without a gap in any curve.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

import redis.asyncio as redis_async
import structlog
from fastapi import Request
from redis import RedisError
from starlette.concurrency import run_in_threadpool

from patina.db import transaction
from patina.run import service
from patina.run.event import RunEvent, StateChange
from patina.run.feed import STREAM
from patina.run.state import TERMINAL
from patina.settings import settings

QUIET_S = 3.0
REPLAY_LIMIT = 1_000
CANCEL_AGAIN_S = 1.0

log = structlog.get_logger()


class Hub:
    """Reads the live feed once for this process; `subscribe` gives a follower its queue."""

    def __init__(self) -> None:
        self._queues: dict[int, set[asyncio.Queue[RunEvent | None]]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self.is_closing = False

    def start(self) -> None:
        """Begin to read; called once when the application starts."""
        self._task = asyncio.create_task(self._read(), name="run-feed")

    async def close(self) -> None:
        """End every stream, so that the server can stop."""
        self.is_closing = True
        for queues in self._queues.values():
            for queue in queues:
                queue.put_nowait(None)
        # Again and again: a cancellation that meets the end of the read's own timeout is lost in it.
        while self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=CANCEL_AGAIN_S)

    def subscribe(self, run_id: int) -> asyncio.Queue[RunEvent | None]:
        queue: asyncio.Queue[RunEvent | None] = asyncio.Queue()
        self._queues[run_id].add(queue)
        return queue

    def unsubscribe(self, run_id: int, queue: asyncio.Queue[RunEvent | None]) -> None:
        self._queues[run_id].discard(queue)
        if not self._queues[run_id]:
            del self._queues[run_id]

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
        for queue in self._queues.get(event.run_id, ()):
            queue.put_nowait(event)


def _stored_after(run_id: int, after: int) -> list[RunEvent]:
    with transaction() as session:
        return service.list_events(session=session, run_id=run_id, after=after, limit=REPLAY_LIMIT).items


def _has_ended(run_id: int) -> bool:
    with transaction() as session:
        return service.get_run(session=session, run_id=run_id).state in TERMINAL


def _is_last(event: RunEvent) -> bool:
    return isinstance(event.payload, StateChange) and event.payload.state in TERMINAL


async def _replay(run_id: int, after: int) -> AsyncIterator[RunEvent]:
    while events := await run_in_threadpool(_stored_after, run_id, after):
        for event in events:
            yield event
        after = events[-1].sequence


async def follow_run(*, request: Request, run_id: int, after: int) -> AsyncIterator[RunEvent]:
    """Every event of the run with a sequence above `after`; ends with the run, or with the server."""
    hub: Hub = request.app.state.hub
    queue = hub.subscribe(run_id)
    try:
        last = after
        ended = await run_in_threadpool(_has_ended, run_id)
        async for event in _replay(run_id, last):
            yield event
            last, ended = event.sequence, ended or _is_last(event)
        while not ended and not hub.is_closing:
            try:
                offered = await asyncio.wait_for(queue.get(), QUIET_S)
            except TimeoutError:
                offered = None
            if offered is not None and offered.sequence <= last:
                continue
            if offered is not None and offered.sequence == last + 1:
                yield offered
                last, ended = offered.sequence, _is_last(offered)
                continue
            async for event in _replay(run_id, last):
                yield event
                last, ended = event.sequence, ended or _is_last(event)
    finally:
        hub.unsubscribe(run_id, queue)
