"""Notices: messages of a run for users who do not watch it, read by browsers and delivered by webhooks."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, update

from patina.db import transaction
from patina.device import lease
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.host.models import Host
from patina.job import journal, silence, waiting
from patina.job.models import Job
from patina.job.state import JobState
from patina.run import resuming
from patina.run.models import Run
from patina.webhook import deliverer
from patina_dev.testing.wait import wait_until
from run_requests import run_body

DeviceFactory = Callable[..., int]


@pytest.fixture
def device_id(make_device: DeviceFactory) -> int:
    return make_device()


def _start(client: TestClient, device_id: int, **changes: Any) -> int:
    body = run_body(device_id, **changes)
    body["confirmation"]["typed"] = "/dev/sandbox-1"
    answer = client.post("/api/v1/runs", json=body)
    assert answer.status_code == 202, answer.text
    run_id: int = answer.json()["id"]
    return run_id


def _move(run_id: int, *states: JobState) -> None:
    for state in states:
        with transaction() as session:
            run = session.get_one(Run, run_id)
            journal.move(session=session, job=run, from_state=run.state, to_state=state, message=f"It is {state}")


def _set(device_id: int, condition: DeviceCondition, reason: str | None = None) -> None:
    with transaction() as session:
        device = session.get_one(Device, device_id)
        device.condition, device.condition_reason = condition, reason


def _notices(client: TestClient, *run_ids: int) -> list[tuple[int, str, str]]:
    items = client.get("/api/v1/notices", params={"job_id": list(run_ids)}).json()["items"]
    return [(item["job_id"], item["kind"], item["message"]) for item in items]


def _beat(host_id: int) -> None:
    with transaction() as session:
        resuming.resume_all_interrupted(session=session, host_id=host_id, has_checkpoint=lambda _: True)
    with transaction() as session:
        waiting.start_waiting(session=session, host_id=host_id)


def test_the_latest_notice_of_each_run_is_said(client: TestClient, device_id: int) -> None:
    first = _start(client, device_id)
    second = _start(client, device_id, waits=True)
    assert _notices(client, first, second) == []
    _move(first, JobState.RUNNING, JobState.SUCCEEDED)
    client.post(f"/api/v1/jobs/{second}/stop")
    assert _notices(client, first, second) == [
        (first, "succeeded", "It is succeeded"),
        (second, "canceled", "Canceled before it started"),
    ]
    assert _notices(client, second + 1) == []


def test_runs_must_be_named(client: TestClient) -> None:
    for params in ({}, {"run_id": [0]}, {"run_id": list(range(1, 202))}):
        answer = client.get("/api/v1/notices", params=params)
        assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")


def test_a_run_that_cannot_go_on_by_itself_asks_once_and_says_why(
    client: TestClient, device_id: int, host_id: int
) -> None:
    run_id = _start(client, device_id)
    _move(run_id, JobState.RUNNING, JobState.INTERRUPTED)
    assert _notices(client, run_id) == []  # it resumes automatically
    _set(device_id, DeviceCondition.LOST)
    with transaction() as session:
        lease.release(session=session, lease_id=session.get_one(Run, run_id).lease_id or 0)
    _beat(host_id)
    _beat(host_id)
    said = "Device /dev/sandbox-1 is lost. The run goes on by itself once the device can be written to again."
    assert _notices(client, run_id) == [(run_id, "needs_you", said)]
    events = client.get(f"/api/v1/jobs/{run_id}/events").json()["items"]
    assert [event["payload"]["type"] for event in events].count("step") == 1


def test_a_run_that_waits_for_an_unleased_unusable_device_asks_for_help(
    client: TestClient, device_id: int, host_id: int
) -> None:
    first, second = _start(client, device_id), _start(client, device_id, waits=True)
    _set(device_id, DeviceCondition.PROTECTED, "mounted at /mnt")
    _beat(host_id)
    assert _notices(client, second) == []  # it is leased: no problem is known yet
    with transaction() as session:
        session.execute(update(Job).where(Job.id == first).values(state=JobState.SUCCEEDED))
        lease.release(session=session, lease_id=session.get_one(Run, first).lease_id or 0)
    _beat(host_id)
    _beat(host_id)
    said = "Cannot start: device /dev/sandbox-1 is protected (mounted at /mnt)."
    assert _notices(client, second) == [(second, "needs_you", said)]
    events = client.get(f"/api/v1/jobs/{second}/events").json()["items"]
    assert [event["payload"]["message"] for event in events] == ["Waits until /dev/sandbox-1 is free", said]

    _set(device_id, DeviceCondition.READY)
    _beat(host_id)
    assert client.get(f"/api/v1/runs/{second}").json()["is_waiting"] is False


def _silence(device_id: int, since: timedelta) -> None:
    with transaction() as session:
        host_id = session.get_one(Device, device_id).host_id
        heard_at = func.clock_timestamp() - since
        session.execute(update(Host).where(Host.id == host_id).values(heartbeat_at=heard_at))


def _ask() -> list[int]:
    with transaction() as session:
        return silence.ask_for_lost_jobs(session=session)


@pytest.fixture
def never_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stops the search for lost hosts in an application started after this: only the test searches."""
    monkeypatch.setattr(deliverer.Deliverer, "start", lambda _: None)


def test_a_lost_host_is_told_of_once_a_silence_and_run(
    never_looking: None, client: TestClient, make_device: DeviceFactory
) -> None:
    device_id, other_id = make_device(), make_device("sandbox-2")
    confirmation = {"stable_id": "sandbox-2", "size_bytes": 2**30}
    running, ended = _start(client, device_id), _start(client, other_id, confirmation=confirmation)
    _move(running, JobState.RUNNING)
    _move(ended, JobState.CANCELED)
    assert _ask() == []
    _silence(device_id, silence.PATIENCE)
    assert (_ask(), _ask()) == ([running], [])
    [(_, kind, message)] = _notices(client, running)
    assert kind == "needs_you"
    assert "Host local has been silent since" in message
    assert client.get(f"/api/v1/runs/{running}").json()["state"] == "running"

    _silence(device_id, timedelta(days=-1))  # healthy for the duration of the test
    assert _ask() == []
    _silence(device_id, silence.PATIENCE + timedelta(hours=1))
    assert _ask() == [running]


@pytest.fixture
def looking_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Speeds up the search for lost hosts in an application started after this."""
    monkeypatch.setattr(deliverer, "PERIOD_S", 0.05)


def test_the_application_looks_for_lost_hosts_by_itself(
    looking_often: None, client: TestClient, device_id: int
) -> None:
    run_id = _start(client, device_id)
    _silence(device_id, silence.PATIENCE)
    wait_until("the run asks for help", lambda: _notices(client, run_id))
