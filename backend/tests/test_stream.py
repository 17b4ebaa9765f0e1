"""Following a run live, on a real server: no event twice, none missing, whatever restarts."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx2
import pytest
import redis
from sqlalchemy import text

from patina.db import transaction
from patina.device import lease
from patina.device import service as device_service
from patina.run import journal, service
from patina.run.event import RunEvent, Step
from patina.run.models import Run
from patina.run.state import RunState
from patina.run.stream import QUEUE_LIMIT, QUIET_S, Hub
from patina_stack.services import PrivateServices
from patina_stack.testing_api import ApiProcess

PATIENCE_S = 30
LIFE_S = 120


def _run_on(device_id: int) -> int:
    with transaction() as session:
        device = device_service.get_device(session=session, device_id=device_id)
        held = lease.acquire(session=session, device=device, holder="run 1")
        from patina.profile.service import get_profile

        run = Run(
            device=device,
            profile_version=get_profile(session=session, name="agrawal").latest_version,
            lease=held,
            file_system="ext4",
            fullness=0.7,
            seed=1,
            data_mode="fallocate",
            capture_mode="exact",
            threads_count=1,
            confirmed={},
            state=RunState.QUEUED,
            progress_fraction=0,
            last_sequence=0,
        )
        session.add(run)
        session.flush()
        journal.move(session=session, run=run, from_state=RunState.QUEUED, to_state=RunState.RUNNING, message="Started")
        return run.id


@pytest.fixture
def run_id(make_device: "object") -> int:
    return _run_on(make_device())  # type: ignore[operator]


@pytest.fixture
def server(clean_database: None) -> Iterator[ApiProcess]:
    api = ApiProcess()
    api.start()
    yield api
    api.close()


def _say(run_id: int, *messages: str) -> None:
    for message in messages:
        with transaction() as session:
            journal.append(session=session, run_id=run_id, payload=Step(type="step", message=message))


def _end(run_id: int) -> None:
    with transaction() as session:
        run = service.get_run(session=session, run_id=run_id)
        journal.move(session=session, run=run, from_state=RunState.RUNNING, to_state=RunState.SUCCEEDED, message="Done")


class Follower(threading.Thread):
    """An EventSource: reads the stream, and comes back with Last-Event-ID when it is cut."""

    def __init__(self, server: ApiProcess, run_id: int) -> None:
        super().__init__(daemon=True)
        self.url = f"http://127.0.0.1:{server.port}/api/v1/runs/{run_id}/stream"
        self.sequences: list[int] = []
        self.ended = False
        self._deadline = time.monotonic() + LIFE_S  # of a test that failed none may be left
        self.start()

    def run(self) -> None:
        while not self.ended and time.monotonic() < self._deadline:
            last = str(self.sequences[-1]) if self.sequences else "0"
            try:
                with httpx2.stream("GET", self.url, headers={"Last-Event-ID": last}, timeout=PATIENCE_S) as stream:
                    for line in stream.iter_lines():
                        if line.startswith("data:"):
                            event = json.loads(line[5:])
                            self.sequences.append(event["sequence"])
                            self.ended = event["payload"].get("state") == "succeeded"
            except httpx2.TransportError:
                time.sleep(0.1)

    def wait_for(self, count: int) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while len(self.sequences) < count and time.monotonic() < deadline:
            time.sleep(0.02)
        assert self.sequences == list(range(1, count + 1))


def test_a_follower_gets_what_was_stored_then_what_comes_then_the_end(run_id: int, server: ApiProcess) -> None:
    _say(run_id, "before")
    follower = Follower(server, run_id)
    follower.wait_for(2)
    _say(run_id, *map(str, range(50)))
    _end(run_id)
    follower.join(PATIENCE_S)
    assert follower.sequences == list(range(1, 54))


def test_restarting_the_api_loses_and_repeats_nothing(run_id: int, server: ApiProcess) -> None:
    follower = Follower(server, run_id)
    follower.wait_for(1)
    assert server.stop() < 8
    _say(run_id, "while it was away")
    server.start()
    _say(run_id, "after")
    _end(run_id)
    follower.join(PATIENCE_S)
    assert follower.sequences == [1, 2, 3, 4]


def test_a_dead_redis_delays_events_but_loses_none(run_id: int, server: ApiProcess, services: PrivateServices) -> None:
    follower = Follower(server, run_id)
    follower.wait_for(1)
    services.stop_redis()
    try:
        _say(run_id, "redis is away")
        follower.wait_for(2)
    finally:
        services.start()
    _say(run_id, "redis is back")
    _end(run_id)
    follower.join(PATIENCE_S)
    assert follower.sequences == [1, 2, 3, 4]


# What a connection did is counted when it does something again, or after ten seconds of rest (PGSTAT_IDLE_INTERVAL).
COUNTED_AFTER_S = 12


def test_many_followers_of_a_quiet_run_cost_one_reader(run_id: int, server: ApiProcess) -> None:
    followers = [Follower(server, run_id) for _ in range(60)]
    for follower in followers:
        follower.wait_for(1)
    time.sleep(COUNTED_AFTER_S)  # the 60 beginnings
    before = _commits_count()
    time.sleep(3 * QUIET_S + 1)
    assert _commits_count() - before < 60  # a reader each would be 180 by now
    _end(run_id)
    for follower in followers:
        follower.join(PATIENCE_S)
        assert follower.sequences == [1, 2]


async def _open_stream(server: ApiProcess, run_id: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=2**20)
    writer.write(f"GET /api/v1/runs/{run_id}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return reader, writer


async def _sequences(reader: asyncio.StreamReader, seen: list[int]) -> None:
    """Of what comes, until the run has ended."""
    async for line in reader:
        if line.startswith(b"data:"):
            event = json.loads(line[5:])
            seen.append(event["sequence"])
            if event["payload"].get("state") == "succeeded":
                return


async def test_five_hundred_followers_of_a_busy_run_cost_one_subscription(
    run_id: int, server: ApiProcess, services: PrivateServices
) -> None:
    streams = [await _open_stream(server, run_id) for _ in range(500)]
    seen: list[list[int]] = [[] for _ in streams]
    followers = [asyncio.create_task(_sequences(reader, own)) for (reader, _), own in zip(streams, seen, strict=True)]
    while not all(seen):
        await asyncio.sleep(0.05)
    await asyncio.to_thread(_say, run_id, *map(str, range(60)))
    broker = redis.Redis.from_url(services.ports.redis_url)
    readers = [client for client in broker.client_list() if client["cmd"] == "xread"]
    await asyncio.to_thread(_end, run_id)
    await asyncio.wait_for(asyncio.gather(*followers), PATIENCE_S)
    assert len(readers) == 1
    assert all(own == list(range(1, 63)) for own in seen)
    for _, writer in streams:
        writer.close()


async def test_a_follower_that_slept_for_longer_than_anything_is_kept_for_it_misses_nothing(
    run_id: int, server: ApiProcess
) -> None:
    """As a laptop does: the connection stands, and nobody reads. What is sent fills every buffer between them."""
    count, long = QUEUE_LIMIT + 700, "x" * 20_000
    reader, writer = await _open_stream(server, run_id)
    await reader.readuntil(b"data:")
    await asyncio.to_thread(_say, run_id, *([long] * count))
    await asyncio.to_thread(_end, run_id)
    seen: list[int] = []
    await asyncio.wait_for(_sequences(reader, seen), PATIENCE_S)
    assert seen == list(range(2, count + 3))
    writer.close()


def _commits_count() -> int:
    with transaction() as session:
        session.execute(text("SELECT pg_stat_clear_snapshot()"))
        statement = text("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
        return int(session.execute(statement).scalar_one())


async def test_a_follower_that_sleeps_reads_what_it_missed_from_the_database(run_id: int) -> None:
    hub = Hub()
    queue = await hub.subscribe(run_id)
    event = RunEvent(run_id=run_id, sequence=1, follows=0, at=datetime.now(UTC), payload=Step(type="step", message="x"))
    for sequence in range(2, 2 + QUEUE_LIMIT + 5):
        hub._offer(event.model_copy(update={"sequence": sequence, "follows": sequence - 1}))
    first = queue.get_nowait()
    assert first is not None
    assert first.sequence > 2 + 1  # a hole: follow_run then replays
    assert queue.qsize() < QUEUE_LIMIT
    hub.unsubscribe(run_id, queue)


def test_followers_of_an_ended_run_get_all_of_it_and_the_end(run_id: int, server: ApiProcess) -> None:
    _say(run_id, *map(str, range(1500)))
    _end(run_id)
    follower = Follower(server, run_id)
    follower.join(PATIENCE_S)
    assert follower.sequences == list(range(1, 1503))


def test_the_feed_carries_each_event_once(run_id: int, services: PrivateServices) -> None:
    client = redis.Redis.from_url(services.ports.redis_url)
    before = client.xlen("patina:run_event")
    _say(run_id, "one", "two")
    assert client.xlen("patina:run_event") == before + 2


async def test_the_hub_ends_even_when_a_read_swallows_its_cancellation(
    services: PrivateServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As redis-py does when the cancellation meets the end of its timeout: a server then never stopped."""

    class _Deaf:
        swallowed_count = 0

        async def xread(self, *_: object, **__: object) -> list[object]:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                self.swallowed_count += 1
                if self.swallowed_count > 1:
                    raise
            return []

    deaf = _Deaf()
    monkeypatch.setattr("patina.run.stream.redis_async.Redis.from_url", lambda *_, **__: deaf)
    monkeypatch.setattr("patina.run.stream.Hub.is_closing", property(lambda _: False, lambda *_: None), raising=False)
    monkeypatch.setattr("patina.run.stream.CANCEL_AGAIN_S", 0.05)
    hub = Hub()
    hub.start()
    await asyncio.sleep(0.05)
    await asyncio.wait_for(hub.close(), 5)
    assert deaf.swallowed_count == 2


class FollowerOfMany(threading.Thread):
    """An EventSource on several runs. It goes away after `patience` events, and comes back with the last id it saw."""

    def __init__(self, server: ApiProcess, run_ids: list[int], patience: int) -> None:
        super().__init__(daemon=True)
        follow = "&".join(f"follow={run_id}:0" for run_id in run_ids)
        self.url = f"http://127.0.0.1:{server.port}/api/v1/runs/stream?{follow}"
        self.sequences: dict[int, list[int]] = {run_id: [] for run_id in run_ids}
        self.patience, self.position, self.visits_count = patience, "", 0
        self.ended = False
        self.start()

    def run(self) -> None:
        while not self.ended:
            self.visits_count += 1
            headers = {"Last-Event-ID": self.position}
            with httpx2.stream("GET", self.url, headers=headers, timeout=PATIENCE_S) as stream:
                self._take(stream.iter_lines())

    def _take(self, lines: Iterator[str]) -> None:
        taken_count, position = 0, ""
        for line in lines:
            if line.startswith("id:"):
                position = line[3:].strip()
            if line.startswith("data:"):
                event = json.loads(line[5:])
                self.sequences[event["run_id"]].append(event["sequence"])
                taken_count += 1
            if line == "":
                self.position = position or self.position
                if taken_count >= self.patience:
                    return
        self.ended = True


def test_several_runs_are_followed_in_one_stream_with_no_gap_where_it_is_cut(
    run_id: int, make_device: "object", server: ApiProcess
) -> None:
    run_ids = [run_id, _run_on(make_device("sandbox-2"))]  # type: ignore[operator]
    follower = FollowerOfMany(server, run_ids, patience=30)
    for number in range(50):
        for each in run_ids:
            _say(each, str(number))
    _end(run_ids[0])  # the other goes on
    for number in range(50):
        _say(run_ids[1], str(number))
    _end(run_ids[1])
    expected = {run_ids[0]: list(range(1, 53)), run_ids[1]: list(range(1, 103))}
    follower.join(PATIENCE_S)
    assert follower.sequences == expected
    assert follower.visits_count > 2


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("follow=999:0", 404, "run_unknown"),
        ("follow=1", 422, "request_invalid"),
        ("", 422, "request_invalid"),
        ("&".join(f"follow={number}:0" for number in range(1, 8)), 422, "request_invalid"),
    ],
)
def test_a_stream_of_runs_that_cannot_be_is_refused(
    server: ApiProcess, run_id: int, query: str, status: int, code: str
) -> None:
    answer = httpx2.get(f"http://127.0.0.1:{server.port}/api/v1/runs/stream?{query}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
