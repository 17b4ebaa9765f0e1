"""Follow several jobs in one stream: a browser has six connections to a server, and a page needs some of them itself.

The id of each event is how far all of the jobs have come, as "3:120,5:7": sent back, it loses no event.
"""

import asyncio
from collections.abc import AsyncIterator

from fastapi import Request

from patina.activity.stream import follow_job
from patina.job.feed import JOBS_LIMIT, StoredEvent

POSITION = r"^\d{1,18}:\d{1,18}$"
POSITIONS = rf"^(\d{{1,18}}:\d{{1,18}}(,\d{{1,18}}:\d{{1,18}}){{0,{JOBS_LIMIT - 1}}})?$"


def positions_of(asked: list[str], last_event_id: str) -> dict[int, int]:
    """For each job asked for, the sequence after which to begin: of the id where a follower comes back with one."""
    known = dict(_position_of(text) for text in last_event_id.split(",") if text)
    wanted = dict(_position_of(text) for text in asked)
    return {job_id: max(after, known.get(job_id, 0)) for job_id, after in wanted.items()}


def _position_of(text: str) -> tuple[int, int]:
    job_id, after = text.split(":")
    return int(job_id), int(after)


async def follow_jobs(*, request: Request, after: dict[int, int]) -> AsyncIterator[tuple[str, StoredEvent]]:
    """The events of all of the jobs, each job's in order, with the stream's id; ends with the last of the jobs."""
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
