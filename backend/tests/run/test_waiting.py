"""Runs that wait for a busy device, and their order."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from patina.db import transaction
from patina.device import lease
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.job import waiting
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run
from people import People
from run_requests import run_body

DeviceFactory = Callable[..., int]


@pytest.fixture
def device_id(make_device: DeviceFactory) -> int:
    return make_device()


def _start(client: TestClient, device_id: int, **changes: Any) -> dict[str, Any]:
    body = run_body(device_id, **changes)
    body["confirmation"] = {**body["confirmation"], "typed": "/dev/sandbox-1"}
    answer = client.post("/api/v1/runs", json=body)
    assert answer.status_code == 202, answer.text
    run: dict[str, object] = answer.json()
    return run


def _end(run_id: object, state: JobState = JobState.SUCCEEDED, resumes_left_count: int = 0) -> None:
    with transaction() as session:
        values = {"state": state, "resumes_left_count": resumes_left_count}
        session.execute(update(Job).where(Job.id == run_id).values(**values))
        lease.release(session=session, lease_id=session.get_one(Run, run_id).lease_id or 0)


def _turns(host_id: int) -> list[int]:
    with transaction() as session:
        return waiting.start_waiting(session=session, host_id=host_id)


def test_runs_wait_for_a_busy_device_and_take_turns(client: TestClient, device_id: int, host_id: int) -> None:
    first = _start(client, device_id)
    second, third = (_start(client, device_id, waits=True) for _ in range(2))
    assert [run["is_waiting"] for run in (first, second, third)] == [False, True, True]
    assert _turns(host_id) == []

    _end(first["id"])
    assert _turns(host_id) == [second["id"]]
    assert _turns(host_id) == []
    run = client.get(f"/api/v1/runs/{second['id']}").json()
    assert (run["is_waiting"], run["device"]["active_lease"]["holder"]) == (False, f"run {second['id']}")

    client.post(f"/api/v1/jobs/{second['id']}/stop")
    assert _turns(host_id) == [third["id"]]


def test_what_the_run_before_left_is_known_to_be_lost(client: TestClient, device_id: int, host_id: int) -> None:
    first, second = _start(client, device_id), _start(client, device_id, waits=True)
    with transaction() as session:
        waiting.confirm(session=session, device_id=device_id, holds="xfs", generation="of its end")
    _end(first["id"])
    with transaction() as session:  # written by another program after the job
        session.get_one(Device, device_id).holds = "ext4"
    assert _turns(host_id) == [second["id"]]
    with transaction() as session:
        confirmed = session.get_one(Run, second["id"]).confirmed
    assert confirmed is not None
    assert (confirmed["holds"], confirmed["generation"]) == ("xfs", "of its end")


def test_no_run_overtakes_a_waiting_one(client: TestClient, device_id: int, host_id: int) -> None:
    first, second = _start(client, device_id), _start(client, device_id, waits=True)
    _end(first["id"])
    answer = client.post("/api/v1/runs", json=run_body(device_id))
    assert (answer.status_code, answer.json()["code"]) == (409, "device_busy")
    assert _start(client, device_id, waits=True)["is_waiting"]
    assert _turns(host_id) == [second["id"]]


def test_a_run_that_waits_is_canceled_at_once(client: TestClient, device_id: int, host_id: int) -> None:
    first, second = _start(client, device_id), _start(client, device_id, waits=True)
    assert client.post(f"/api/v1/jobs/{second['id']}/stop").json()["state"] == "canceled"
    _end(first["id"])
    assert _turns(host_id) == []


def test_what_will_be_on_the_device_is_confirmed_by_typing(client: TestClient, device_id: int) -> None:
    _start(client, device_id)
    answer = client.post("/api/v1/runs", json=run_body(device_id, waits=True))
    assert (answer.status_code, answer.json()["code"]) == (409, "confirmation_mismatch")


def test_an_interrupted_run_that_goes_on_by_itself_comes_first(
    client: TestClient, device_id: int, host_id: int
) -> None:
    first, second = _start(client, device_id), _start(client, device_id, waits=True)
    _end(first["id"], JobState.INTERRUPTED, resumes_left_count=1)
    assert _turns(host_id) == []
    _end(first["id"], JobState.INTERRUPTED, resumes_left_count=0)
    assert _turns(host_id) == [second["id"]]


def test_a_run_whose_device_is_removed_meanwhile_fails(client: TestClient, device_id: int, host_id: int) -> None:
    first, second = _start(client, device_id), _start(client, device_id, waits=True)
    _end(first["id"])
    with transaction() as session:
        session.get_one(Device, device_id).condition = DeviceCondition.REMOVED
    assert _turns(host_id) == []
    run = client.get(f"/api/v1/runs/{second['id']}").json()
    assert (run["state"], run["error_code"]) == ("failed", "device_missing")


def _ahead(client: TestClient, run: dict[str, Any]) -> list[dict[str, Any]]:
    answer = client.get(f"/api/v1/jobs/{run['id']}/queue")
    assert answer.status_code == 200, answer.text
    return list(answer.json()["ahead"])


def test_a_waiting_run_knows_the_jobs_ahead_of_it(client: TestClient, device_id: int, host_id: int) -> None:
    first = _start(client, device_id)
    second, third = (_start(client, device_id, waits=True) for _ in range(2))
    with transaction() as session:
        session.execute(update(Job).where(Job.id == first["id"]).values(state=JobState.RUNNING, eta_s=90.0))
    assert _ahead(client, first) == []
    held = {"id": first["id"], "kind": "run", "state": "running", "reason": "holds", "phase": None, "eta_s": 90.0}
    assert _ahead(client, second) == [held]
    assert [(job["id"], job["reason"], job["eta_s"]) for job in _ahead(client, third)] == [
        (first["id"], "holds", 90.0),
        (second["id"], "waits", None),
    ]
    client.post(f"/api/v1/jobs/{_start(client, device_id, waits=True)['id']}/stop")  # it has no lease either
    _end(first["id"], JobState.INTERRUPTED, resumes_left_count=1)
    assert [job["reason"] for job in _ahead(client, third)] == ["resumes", "waits"]
    _end(first["id"])
    assert _turns(host_id) == [second["id"]]
    assert (_ahead(client, second), len(_ahead(client, third))) == ([], 1)
    assert client.get("/api/v1/jobs/999999/queue").status_code == 404


def test_a_private_run_ahead_has_no_number(people: People, device_id: int) -> None:
    first = _start(people.client["ada"], device_id, sharing={"visibility": "private"})
    second = _start(people.client["eve"], device_id, waits=True)
    [ahead] = _ahead(people.client["eve"], second)
    assert (ahead["id"], ahead["kind"], ahead["reason"]) == (None, "run", "holds")
    assert people.client["eve"].get(f"/api/v1/jobs/{first['id']}/queue").status_code == 404
