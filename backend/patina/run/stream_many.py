"""Follow several runs in one stream: a browser has six connections to a server, and a page needs some of them itself.

The id of each event is how far all of the runs have come, as "3:120,5:7": whoever comes back with it misses nothing.
"""

import asyncio
from collections.abc import AsyncIterator

from fastapi import Request

from patina.run.event import RunEvent
from patina.run.stream import follow_run

RUNS_LIMIT = 6
POSITION = r"^\d{1,18}:\d{1,18}$"
POSITIONS = rf"^(\d{{1,18}}:\d{{1,18}}(,\d{{1,18}}:\d{{1,18}}){{0,{RUNS_LIMIT - 1}}})?$"


def positions_of(asked: list[str], last_event_id: str) -> dict[int, int]:
    """For each run asked for, the sequence after which to begin: of the id where a follower comes back with one."""
    known = dict(_position_of(text) for text in last_event_id.split(",") if text)
    wanted = dict(_position_of(text) for text in asked)
    return {run_id: max(after, known.get(run_id, 0)) for run_id, after in wanted.items()}


def _position_of(text: str) -> tuple[int, int]:
    run_id, after = text.split(":")
    return int(run_id), int(after)


async def follow_runs(*, request: Request, after: dict[int, int]) -> AsyncIterator[tuple[str, RunEvent]]:
    """The events of all of the runs, each run's in order, with the stream's id; ends with the last of the runs."""
    positions = dict(after)
    followed = [follow_run(request=request, run_id=run_id, after=last) for run_id, last in after.items()]
    awaited = {asyncio.ensure_future(anext(events, None)): events for events in followed}
    try:
        while awaited:
            arrived, _ = await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            for task in arrived:
                events, event = awaited.pop(task), task.result()
                if event is None:  # this run has ended
                    continue
                awaited[asyncio.ensure_future(anext(events, None))] = events
                positions[event.run_id] = event.sequence
                yield ",".join(f"{run_id}:{last}" for run_id, last in positions.items()), event
    finally:
        for task in awaited:
            task.cancel()
        await asyncio.gather(*awaited, return_exceptions=True)
