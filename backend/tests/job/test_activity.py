"""The list of all jobs: requests, in order, and the jobs that others wait for."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from patina.db import transaction
from patina.job import journal
from patina.job.models import Job
from patina.job.state import JobState
from run_requests import run_body
from run_rows import end, running_run

DeviceFactory = Callable[..., int]
SCAN = {"directory": "/srv/data/project"}


def jobs(client: TestClient, **asked: object) -> list[dict[str, Any]]:
    answer = client.get("/api/v1/jobs", params=asked)  # type: ignore[arg-type]
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def test_before_anything_was_asked_for_the_list_is_empty(client: TestClient) -> None:
    assert client.get("/api/v1/jobs").json() == {"items": [], "next_cursor": None}


def test_jobs_of_every_kind_are_listed_the_newest_first(client: TestClient, make_device: DeviceFactory) -> None:
    run_id = running_run(make_device())
    scan = client.post("/api/v1/scans", json=SCAN).json()
    newest, oldest = jobs(client)
    assert (newest["id"], newest["kind"], newest["device"]) == (scan["id"], "scan", None)
    assert newest["request"]["directory"] == SCAN["directory"]
    assert (oldest["id"], oldest["kind"], oldest["host"]["name"]) == (run_id, "run", "local")
    assert [oldest["device"]["path"] is not None, oldest["is_retriable"], newest["is_retriable"]] == [
        True,
        False,
        False,
    ]
    first = client.get("/api/v1/jobs", params={"limit": 1}).json()
    assert [job["id"] for job in jobs(client, cursor=first["next_cursor"])] == [run_id]


def test_a_list_has_what_was_asked_for_alone(client: TestClient, make_device: DeviceFactory) -> None:
    device_id = make_device()
    run_id = running_run(device_id)
    scan_id = client.post("/api/v1/scans", json=SCAN).json()["id"]
    client.post(f"/api/v1/jobs/{scan_id}/stop")
    for asked, found in (
        ({"kind": "scan"}, [scan_id]),
        ({"device_id": device_id}, [run_id]),
        ({"state": "canceled"}, [scan_id]),
        ({"is_open": True}, [run_id]),
        ({"is_open": False}, [scan_id]),
        ({"host_id": 1, "state": "running"}, [run_id]),
        ({"host_id": 99}, []),
        ({"kind": "nothing"}, []),
    ):
        assert [job["id"] for job in jobs(client, **asked)] == found, asked
    assert client.get("/api/v1/jobs", params={"state": "asleep"}).status_code == 422


def test_a_run_that_waits_says_for_whom_and_an_ended_scan_that_it_can_be_tried_again(
    client: TestClient, make_device: DeviceFactory
) -> None:
    device_id = make_device()
    first = client.post("/api/v1/runs", json=run_body(device_id)).json()["id"]
    body = run_body(device_id, waits=True)
    body["confirmation"]["typed"] = "/dev/sandbox-1"
    client.post("/api/v1/runs", json=body)
    scan_id = client.post("/api/v1/scans", json=SCAN).json()["id"]
    client.post(f"/api/v1/jobs/{scan_id}/stop")
    scan, waiting, holding = jobs(client)
    assert (waiting["waits_for"], holding["waits_for"]) == (f"run {first}", None)
    assert (scan["state"], scan["is_retriable"]) == ("canceled", True)
    again = client.post(f"/api/v1/jobs/{scan_id}/retry")
    assert (again.status_code, again.json()["state"]) == (202, "queued")


@pytest.mark.parametrize("verb", ["stop", "retry"])
def test_what_has_ended_stays_as_it_is(client: TestClient, make_device: DeviceFactory, verb: str) -> None:
    run_id = running_run(make_device())
    end(run_id)
    answer = client.post(f"/api/v1/jobs/{run_id}/{verb}")
    assert answer.json().get("state", answer.json().get("code")) == ("succeeded" if verb == "stop" else "not_retriable")
    assert client.get(f"/api/v1/jobs/{run_id}").json()["state"] == "succeeded"


def test_retried_while_it_is_on_its_way_a_job_stays_as_it_is(client: TestClient, host_id: int) -> None:
    scan_id = client.post("/api/v1/scans", json=SCAN).json()["id"]
    assert client.post(f"/api/v1/jobs/{scan_id}/retry").json()["state"] == "queued"
    with transaction() as session:
        job = session.get_one(Job, scan_id)
        journal.move(session=session, job=job, from_state=JobState.QUEUED, to_state=JobState.RUNNING, message="Started")
    assert client.post(f"/api/v1/jobs/{scan_id}/retry").json()["state"] == "running"
