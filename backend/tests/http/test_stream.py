"""Following a run live, on a real server: each event once, none missing, across restarts."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pytest
import redis
from fastapi import Request
from fastapi.testclient import TestClient
from starlette.concurrency import run_in_threadpool

from patina.account.actor import Actor, Guest, current_actor, current_guest
from patina.account.models import CredentialKind, Visibility
from patina.account.role import Role
from patina.activity import stream
from patina.activity.stream import QUEUE_LIMIT, Hub, follow_job
from patina.db import transaction
from patina.job.feed import StoredEvent
from patina.job.models import Job
from patina_dev.testing.api import ApiProcess
from patina_dev.testing.owner import HEADER_LINE, HEADERS
from patina_dev.testing.served import ServedApp
from patina_dev.testing.wait import HANG_S, until, wait_until
from patina_stack.services import PrivateServices
from people import People
from run_rows import end, running_run, say

DeviceFactory = Callable[..., int]


@pytest.fixture
def run_id(make_device: DeviceFactory) -> int:
    return running_run(make_device())


class Follower(threading.Thread):
    """An EventSource: reads the stream, and reconnects with Last-Event-ID."""

    def __init__(self, url: str, run_id: int) -> None:
        super().__init__(daemon=True)
        self.url = f"{url}/api/v1/jobs/{run_id}/stream"
        self.sequences: list[int] = []
        self.ended = False
        self._has_given_up = threading.Event()
        self.start()

    def run(self) -> None:
        while not self.ended and not self._has_given_up.is_set():
            last = str(self.sequences[-1]) if self.sequences else "0"
            try:
                with httpx2.stream(
                    "GET", self.url, headers=HEADERS | {"Last-Event-ID": last}, timeout=HANG_S
                ) as answer:
                    for line in answer.iter_lines():
                        if line.startswith("data:"):
                            event = json.loads(line[5:])
                            self.sequences.append(event["sequence"])
                            self.ended = event["payload"].get("state") == "succeeded"
            except httpx2.TransportError:
                self._has_given_up.wait(0.05)  # the server is down

    def wait_for(self, count: int) -> None:
        wait_until(f"{count} events have come", lambda: len(self.sequences) >= count)
        assert self.sequences == list(range(1, count + 1))

    def wait_for_end(self, count: int) -> None:
        """Waits for the end of the stream, after this many events."""
        wait_until("the stream has ended", lambda: not self.is_alive())
        assert self.sequences == list(range(1, count + 1))

    def give_up(self) -> None:
        """Stops reconnecting."""
        self._has_given_up.set()


@pytest.fixture
def follow() -> Iterator[Callable[[str, int], Follower]]:
    """Yields a starter of followers. None outlives the test for longer than its connection."""
    followers: list[Follower] = []

    def _follow(url: str, run_id: int) -> Follower:
        followers.append(Follower(url, run_id))
        return followers[-1]

    yield _follow
    for follower in followers:
        follower.give_up()


Follow = Callable[[str, int], Follower]


def test_a_follower_gets_what_was_stored_then_what_comes_then_the_end(
    run_id: int, server: ServedApp, follow: Follow
) -> None:
    say(run_id, "before")
    follower = follow(server.url, run_id)
    follower.wait_for(2)
    say(run_id, *map(str, range(50)))
    end(run_id)
    follower.wait_for_end(53)


@pytest.mark.slow
def test_restarting_the_api_loses_and_repeats_nothing(run_id: int, api: ApiProcess, follow: Follow) -> None:
    """The server must not wait for its open streams: it would never stop."""
    follower = follow(api.url, run_id)
    follower.wait_for(1)
    api.stop()
    say(run_id, "while it was away")
    api.start()
    say(run_id, "after")
    end(run_id)
    follower.wait_for_end(4)


@pytest.mark.slow
def test_a_dead_redis_delays_events_but_loses_none(
    run_id: int, server: ServedApp, follow: Follow, services: PrivateServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "QUIET_S", 0.2)
    follower = follow(server.url, run_id)
    follower.wait_for(1)
    services.stop_redis()
    try:
        say(run_id, "redis is away")
        follower.wait_for(2)
    finally:
        services.start()
    say(run_id, "redis is back")
    end(run_id)
    follower.wait_for_end(4)


def _request_to(hub: Hub) -> Request:
    return cast(Request, SimpleNamespace(app=SimpleNamespace(state=SimpleNamespace(hub=hub))))


@pytest.mark.slow
async def test_many_followers_of_a_quiet_run_cost_one_reader(run_id: int, monkeypatch: pytest.MonkeyPatch) -> None:
    readers: list[str] = []  # names of the tasks that read the database
    read = run_in_threadpool

    async def _noted_read(function: Callable[..., Any], *arguments: object) -> Any:
        task = asyncio.current_task()
        assert task is not None
        readers.append(task.get_name())
        return await read(function, *arguments)

    monkeypatch.setattr(stream, "run_in_threadpool", _noted_read)
    monkeypatch.setattr(stream, "QUIET_S", 0.05)
    hub = Hub()
    hub.start()
    seen: list[list[int]] = [[] for _ in range(60)]

    async def _follow(own: list[int]) -> None:
        async for event in follow_job(request=_request_to(hub), job_id=run_id, after=0):
            own.append(event.sequence)

    followers = [asyncio.create_task(_follow(own), name="follower") for own in seen]
    # Each begins with three reads: whether the run has ended, the stored events, and the empty rest.
    await until("all have read what is stored", lambda: readers.count("follower") == 3 * len(seen))
    readers.clear()
    await until("the quiet run was looked at five times", lambda: len(readers) >= 5)
    assert set(readers) == {f"poll-{run_id}"}
    await asyncio.to_thread(end, run_id)
    await asyncio.wait_for(asyncio.gather(*followers), HANG_S)
    assert seen == [[1, 2]] * len(seen)
    await hub.close()


async def _open_stream(server: ServedApp, run_id: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=2**16)
    head = f"GET /api/v1/jobs/{run_id}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    writer.write(head.encode() + HEADER_LINE + b"\r\n")
    return reader, writer


async def _take_sequences(reader: asyncio.StreamReader, seen: list[int]) -> None:
    """Collects the sequences received until the server ends the stream."""
    async for line in reader:
        if line.startswith(b"data:"):
            seen.append(json.loads(line[5:])["sequence"])


@pytest.mark.slow
async def test_five_hundred_followers_of_a_busy_run_cost_one_subscription(
    run_id: int, server: ServedApp, services: PrivateServices
) -> None:
    streams = [await _open_stream(server, run_id) for _ in range(500)]
    seen: list[list[int]] = [[] for _ in streams]
    followers = [
        asyncio.create_task(_take_sequences(reader, own)) for (reader, _), own in zip(streams, seen, strict=True)
    ]
    await until("each has the first event", lambda: all(seen))
    await asyncio.to_thread(say, run_id, *map(str, range(10)))
    broker = redis.Redis.from_url(services.ports.redis_admin_url)
    readers = await until(
        "the feed is read", lambda: [client for client in broker.client_list() if client["cmd"] == "xread"]
    )
    assert len(readers) == 1
    await asyncio.to_thread(end, run_id)
    await asyncio.wait_for(asyncio.gather(*followers), HANG_S)
    assert all(own == list(range(1, 13)) for own in seen)
    for _, writer in streams:
        writer.close()


@pytest.mark.slow
async def test_a_follower_that_slept_for_longer_than_anything_is_kept_for_it_misses_nothing(
    run_id: int, server: ServedApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The follower keeps the connection open without reading, as a sleeping laptop does. Every buffer fills up."""
    monkeypatch.setattr(stream, "QUEUE_LIMIT", 20)
    monkeypatch.setattr(stream, "REPLAY_LIMIT", 100)
    count, long = 800, "x" * 20_000
    replays_after: list[int] = []
    replay = stream._replay

    def _noted_replay(hub: Hub, followed_id: int, after: int) -> AsyncIterator[StoredEvent]:
        replays_after.append(after)
        return replay(hub, followed_id, after)

    monkeypatch.setattr(stream, "_replay", _noted_replay)
    reader, writer = await _open_stream(server, run_id)
    await reader.readuntil(b"data:")
    await asyncio.to_thread(say, run_id, *([long] * count), at_once=True)
    await asyncio.to_thread(end, run_id)
    seen: list[int] = []
    await asyncio.wait_for(_take_sequences(reader, seen), HANG_S)
    assert seen == list(range(2, count + 3))
    assert len(replays_after) > 1  # it detected a gap
    writer.close()


async def test_a_follower_that_sleeps_reads_what_it_missed_from_the_database(run_id: int) -> None:
    hub = Hub()
    queue = await hub.subscribe(run_id)
    event = StoredEvent(job_id=run_id, sequence=1, follows=0, state="", text="")
    for sequence in range(2, 2 + QUEUE_LIMIT + 5):
        hub._offer(replace(event, sequence=sequence, follows=sequence - 1))
    first = queue.get_nowait()
    assert first is not None
    assert first.sequence > 2 + 1  # a gap: follow_job then replays
    assert queue.qsize() < QUEUE_LIMIT
    hub.unsubscribe(run_id, queue)


async def test_a_follower_gets_nothing_more_once_it_no_longer_sees_the_run(
    run_id: int, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "SEEN_FOR_S", -1.0)  # it is asked for at each event
    hub = Hub()
    eve = Actor(people.account_id["eve"], "eve", Role.MEMBER, 1, CredentialKind.TOKEN)
    token = current_actor.set(eve)
    events = follow_job(request=_request_to(hub), job_id=run_id, after=0)
    first = await anext(events)
    current_actor.reset(token)
    await asyncio.to_thread(_make_private, run_id, people.account_id["ada"])
    hub._offer(replace(first, sequence=2, follows=1))
    current_actor.set(eve)
    assert await anext(events, None) is None
    assert hub._audiences == {}


async def test_a_guest_gets_nothing_more_once_the_link_has_ended(
    run_id: int, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "SEEN_FOR_S", -1.0)
    hub = Hub()
    made = await asyncio.to_thread(people.client["olga"].post, "/api/v1/shared-links", json={"job_id": run_id})
    guest = Guest(made.json()["id"], "job", run_id)
    current_guest.set(guest)
    events = follow_job(request=_request_to(hub), job_id=run_id, after=0)
    first = await anext(events)
    path = f"/api/v1/shared-links/{guest.link_id}"
    assert (await asyncio.to_thread(people.client["olga"].delete, path)).status_code == 204
    hub._offer(replace(first, sequence=2, follows=1))
    assert await anext(events, None) is None
    assert hub._audiences == {}


def _make_private(run_id: int, account_id: int) -> None:
    with transaction() as session:
        run = session.get_one(Job, run_id)
        run.account_id, run.visibility = account_id, Visibility.PRIVATE


def test_followers_of_an_ended_run_get_all_of_it_and_the_end(
    run_id: int, server: ServedApp, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "REPLAY_LIMIT", 40)
    say(run_id, *map(str, range(100)), at_once=True)
    end(run_id)
    follow(server.url, run_id).wait_for_end(102)


def test_streams_beyond_the_limit_are_refused_and_one_that_ends_makes_room(
    run_id: int, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    end(run_id)
    path = f"/api/v1/jobs/{run_id}/stream"
    monkeypatch.setattr(stream, "STREAMS_LIMIT", 0)
    answer = client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (503, "too_many_streams")
    monkeypatch.setattr(stream, "STREAMS_LIMIT", 1)
    for _ in range(3):
        assert client.get(path).status_code == 200


async def test_of_a_thousand_followers_of_an_ended_run_few_read_at_once(
    run_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading at once, they would take every thread of the process."""
    await asyncio.to_thread(end, run_id)
    reading, most = 0, 0
    read = run_in_threadpool

    async def _counted(function: Callable[..., Any], *arguments: object) -> Any:
        nonlocal reading, most
        if asyncio.current_task() in followers:
            reading, most = reading + 1, max(most, reading + 1)
        try:
            return await read(function, *arguments)
        finally:
            if asyncio.current_task() in followers:
                reading -= 1

    monkeypatch.setattr(stream, "run_in_threadpool", _counted)
    hub = Hub()
    hub.start()

    async def _follow() -> list[int]:
        return [event.sequence async for event in follow_job(request=_request_to(hub), job_id=run_id, after=0)]

    followers = {asyncio.create_task(_follow()) for _ in range(1_000)}
    seen = await asyncio.wait_for(asyncio.gather(*followers), HANG_S)
    assert seen == [[1, 2]] * 1_000
    assert most <= stream.READS_AT_ONCE
    await hub.close()


def test_the_feed_carries_each_event_once(run_id: int, services: PrivateServices) -> None:
    client = redis.Redis.from_url(services.ports.redis_url)
    before = client.xlen("patina:job_event")
    say(run_id, "one", "two")
    assert client.xlen("patina:job_event") == before + 2


async def test_the_hub_ends_even_when_a_read_swallows_its_cancellation(
    services: PrivateServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """redis-py loses a cancellation at the end of its timeout: a server then never stopped."""

    class _Deaf:
        reads_count = swallowed_count = 0

        async def xread(self, *_: object, **__: object) -> list[object]:
            self.reads_count += 1
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                self.swallowed_count += 1
                if self.swallowed_count > 1:
                    raise
            return []

    deaf = _Deaf()
    monkeypatch.setattr("patina.activity.stream.redis_async.Redis.from_url", lambda *_, **__: deaf)
    monkeypatch.setattr(
        "patina.activity.stream.Hub.is_closing", property(lambda _: False, lambda *_: None), raising=False
    )
    hub = Hub()
    hub.start()
    await until("the hub reads", lambda: deaf.reads_count)
    await asyncio.wait_for(hub.close(), HANG_S)
    assert deaf.swallowed_count == 2


class FollowerOfMany(threading.Thread):
    """An EventSource on several runs. Disconnects after `stay` events, and reconnects with its last id."""

    def __init__(self, url: str, run_ids: list[int], stay: int) -> None:
        super().__init__(daemon=True)
        wanted = "&".join(f"follow={run_id}:0" for run_id in run_ids)
        self.url = f"{url}/api/v1/jobs/stream?{wanted}"
        self.sequences: dict[int, list[int]] = {run_id: [] for run_id in run_ids}
        self.stay, self.position, self.visits_count = stay, "", 0
        self.ended = False
        self.start()

    def run(self) -> None:
        while not self.ended:
            self.visits_count += 1
            headers = HEADERS | {"Last-Event-ID": self.position}
            with httpx2.stream("GET", self.url, headers=headers, timeout=HANG_S) as answer:
                self._take(answer.iter_lines())

    def _take(self, lines: Iterator[str]) -> None:
        taken_count, position = 0, ""
        for line in lines:
            if line.startswith("id:"):
                position = line[3:].strip()
            if line.startswith("data:"):
                event = json.loads(line[5:])
                self.sequences[event["job_id"]].append(event["sequence"])
                taken_count += 1
            if line == "":
                self.position = position or self.position
                if taken_count >= self.stay:
                    return
        self.ended = True


def test_several_runs_are_followed_in_one_stream_with_no_gap_where_it_is_cut(
    run_id: int, make_device: DeviceFactory, server: ServedApp
) -> None:
    run_ids = [run_id, running_run(make_device("sandbox-2"))]
    follower = FollowerOfMany(server.url, run_ids, stay=10)
    for number in range(15):
        for each in run_ids:
            say(each, str(number))
    end(run_ids[0])  # the other continues
    say(run_ids[1], *map(str, range(15)))
    end(run_ids[1])
    wait_until("the stream has ended", lambda: not follower.is_alive())
    assert follower.sequences == {run_ids[0]: list(range(1, 18)), run_ids[1]: list(range(1, 33))}
    assert follower.visits_count > 2


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("follow=999:0", 404, "job_unknown"),
        ("follow=1", 422, "request_invalid"),
        ("", 422, "request_invalid"),
        ("&".join(f"follow={number}:0" for number in range(1, 8)), 422, "request_invalid"),
    ],
)
def test_a_stream_of_runs_that_cannot_be_is_refused(
    client: TestClient, run_id: int, query: str, status: int, code: str
) -> None:
    answer = client.get(f"/api/v1/jobs/stream?{query}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
