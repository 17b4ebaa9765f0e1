"""Scans through the API: only of a host's own folders, one at a time, canceled at any moment."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from patina.db import transaction
from patina.job.models import Job
from patina.job.state import JobState

BODY = {"host_name": "local", "directory": "/srv/data/project"}


def _move(scan_id: int, state: JobState, **values: object) -> None:
    with transaction() as session:
        session.execute(update(Job).where(Job.id == scan_id).values(state=state, **values))


def test_a_scan_is_queued_with_the_folder_as_it_is_meant(client: TestClient, host_id: int) -> None:
    answer = client.post("/api/v1/scans", json=BODY | {"directory": "/srv/data/x/../project/"})
    assert answer.status_code == 202
    scan = answer.json()
    assert (scan["state"], scan["request"]["directory"], scan["done"]) == ("queued", "/srv/data/project", 0)
    assert client.get(answer.headers["location"]).json() == scan


def test_the_host_says_which_folders_may_be_scanned(client: TestClient, host_id: int) -> None:
    assert client.get("/api/v1/hosts").json()["items"][0]["scan_folders"] == ["/srv/data"]


@pytest.mark.parametrize("directory", ["/", "/srv", "/srv/database", "/srv/data/../secret", "/etc"])
def test_a_folder_outside_is_refused_with_those_inside(client: TestClient, host_id: int, directory: str) -> None:
    answer = client.post("/api/v1/scans", json=BODY | {"directory": directory})
    assert (answer.status_code, answer.json()["code"]) == (403, "scan_not_allowed")
    detail = answer.json()["detail"]
    assert "Allowed folders: /srv/data." in detail
    assert "`sudo bin/patina-worker scan-folders --add FOLDER`" in detail
    assert "within 10 seconds" in detail


@pytest.mark.parametrize("directory", ["", "srv/data", "/srv/data/\u0000", "/" + "x" * 5000])
def test_what_is_no_folder_is_refused(client: TestClient, host_id: int, directory: str) -> None:
    answer = client.post("/api/v1/scans", json=BODY | {"directory": directory})
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")


def test_a_host_walks_one_tree_at_a_time(client: TestClient, host_id: int) -> None:
    scan_id = client.post("/api/v1/scans", json=BODY).json()["id"]
    second = client.post("/api/v1/scans", json=BODY)
    assert (second.status_code, second.json()["code"]) == (409, "job_under_way")
    assert client.post(f"/api/v1/jobs/{scan_id}/stop").json()["state"] == "canceled"
    assert client.post("/api/v1/scans", json=BODY).status_code == 202


def test_a_running_scan_is_canceled_by_its_worker_and_an_ended_one_not_at_all(client: TestClient, host_id: int) -> None:
    scan_id = client.post("/api/v1/scans", json=BODY).json()["id"]
    _move(scan_id, JobState.RUNNING)
    for _ in range(2):
        assert client.post(f"/api/v1/jobs/{scan_id}/stop").json()["state"] == "canceling"
    _move(scan_id, JobState.CANCELED)
    assert client.post(f"/api/v1/jobs/{scan_id}/stop").json()["state"] == "canceled"


def test_a_scan_that_is_not_there_and_a_host_that_is_not_there(client: TestClient, host_id: int) -> None:
    unknown = client.get("/api/v1/scans/99").json()
    assert (unknown["code"], unknown["detail"]) == ("job_unknown", "There is no scan 99.")
    answer = client.post("/api/v1/scans", json=BODY | {"host_name": "elsewhere"})
    assert (answer.status_code, answer.json()["code"]) == (409, "host_unknown")
