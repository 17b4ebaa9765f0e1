"""The chunk stores of hosts, as their collections measured them."""

from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import func, update

from patina.db import transaction
from patina.host.models import Host
from patina.job.models import Job
from patina.job.state import JobState

KEPT = {"kept_chunks_count": 10, "kept_bytes": 1000, "young_chunks_count": 2, "young_bytes": 200}
REMOVED = {"removed_chunks_count": 3, "removed_bytes": 50}


def collected(client: TestClient, *, is_dry_run: bool, state: JobState = JobState.SUCCEEDED, **changes: int) -> None:
    """Ends a collection with what a worker counted."""
    job_id = client.post("/api/v1/collections", json={"is_dry_run": is_dry_run}).json()["id"]
    summary: dict[str, Any] = {"type": "summary", "command": "gc", "dry_run": is_dry_run, "images_count": 1}
    values: dict[str, Any] = {"state": state, "finished_at": func.now()}
    if state == JobState.SUCCEEDED:
        values["result"] = summary | {"elapsed_s": 1.0} | KEPT | REMOVED | changes
    with transaction() as session:
        session.execute(update(Job).where(Job.id == job_id).values(values))


def stores(client: TestClient) -> list[tuple[int, int]]:
    return [(store["chunks_count"], store["bytes"]) for store in client.get("/api/v1/stores").json()["items"]]


def test_a_store_takes_what_its_last_collection_left(client: TestClient, host_id: int) -> None:
    assert stores(client) == []
    collected(client, is_dry_run=False)
    assert stores(client) == [(12, 1200)]
    collected(client, is_dry_run=False, kept_bytes=7000)
    collected(client, is_dry_run=False, state=JobState.CANCELED)
    assert stores(client) == [(12, 7200)]


def test_a_dry_run_leaves_what_it_would_remove(client: TestClient, host_id: int) -> None:
    collected(client, is_dry_run=True)
    assert stores(client) == [(15, 1250)]


def test_the_store_of_a_removed_host_is_not_listed(client: TestClient, host_id: int) -> None:
    collected(client, is_dry_run=False)
    with transaction() as session:
        session.execute(update(Host).values(removed_at=func.now()))
    assert stores(client) == []
