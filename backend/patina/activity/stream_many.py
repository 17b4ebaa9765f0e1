"""Follows several jobs in one stream: a browser opens at most six connections to a server and needs some for the page.

The id of each event is the position in every job, as "3:120,5:7"; a client that sends it back loses no event.
"""

import asyncio
from collections.abc import AsyncIterator

from fastapi import Request

from patina.activity.stream import follow_job
from patina.job.feed import JOBS_LIMIT, StoredEvent

POSITION = r"^\d{1,18}:\d{1,18}$"
POSITIONS = rf"^(\d{{1,18}}:\d{{1,18}}(,\d{{1,18}}:\d{{1,18}}){{0,{JOBS_LIMIT - 1}}})?$"


def positions_of(asked: list[str], last_event_id: str) -> dict[int, int]:
    """Returns the sequence to begin after for each requested job: that of Last-Event-ID, if the client sent one."""
    known = dict(_position_of(text) for text in last_event_id.split(",") if text)
    wanted = dict(_position_of(text) for text in asked)
    return {job_id: max(after, known.get(job_id, 0)) for job_id, after in wanted.items()}


def _position_of(text: str) -> tuple[int, int]:
    job_id, after = text.split(":")
    return int(job_id), int(after)


async def follow_jobs(*, request: Request, after: dict[int, int]) -> AsyncIterator[tuple[str, StoredEvent]]:
    """Yields the jobs' events, in order within each job, with the stream's id; ends with the last job."""
    positions = dict(after)
    followed = [follow_job(request=request, job_id=job_id, after=last) for job_id, last in after.items()]
    awaited = {asyncio.ensure_future(anext(events, None)): events for events in followed}
    try:
        while awaited:
            arrived, _ = await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            for task in arrived:
                events, event = awaited.pop(task), task.result()
                if event is None:  # this job has ended
                    continue
                awaited[asyncio.ensure_future(anext(events, None))] = events
                positions[event.job_id] = event.sequence
                yield ",".join(f"{job_id}:{last}" for job_id, last in positions.items()), event
    finally:
        for task in awaited:
            task.cancel()
        await asyncio.gather(*awaited, return_exceptions=True)
