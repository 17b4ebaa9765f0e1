"""The list of runs: its searches, its orders page by page, and names, tags and the archive of runs."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from patina.db import transaction
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run
from patina.run.sort import RunSort
from run_rows import settings_of, stored_run

DeviceFactory = Callable[..., int]
GIB = 2**30
# Fullness, achieved RMSE and size of the device of each: with equal values, and without a value.
FACTS: list[tuple[float | None, float | None, int]] = [
    (0.7, 0.02, GIB),
    (0.5, None, 2 * GIB),
    (0.7, 0.02, 2 * GIB),
    (0.9, 0.01, GIB),
    (0.5, None, 4 * GIB),
]
FILE_SYSTEMS = ["ext4", "xfs", "btrfs", "xfs", "ext4"]


@pytest.fixture
def run_ids(make_device: DeviceFactory) -> list[int]:
    ids = []
    for number, (fullness, rmse, size_bytes) in enumerate(FACTS):
        device_id = make_device(f"device-{number}")
        with transaction() as session:
            run = stored_run(
                session=session,
                device_id=device_id,
                fullness=fullness,
                file_system=FILE_SYSTEMS[number],
                confirmed={"size_bytes": size_bytes},
                summary=None if rmse is None else {"histograms": {"age": {"rmse": rmse}}},
                name=f"{'cab'[number % 3]} of five",
                tags=["paper"] if number % 2 else ["draft", "paper"],
                created_at=datetime(2026, 11, 1 + number, tzinfo=UTC),
            )
            ids.append(run.id)
    return ids


def _found(client: TestClient, **asked: Any) -> list[int]:
    """Returns the ids of all pages, read two at a time."""
    ids: list[int] = []
    cursor = None
    while True:
        page = {"limit": 2} | ({} if cursor is None else {"cursor": cursor})
        answer = client.get("/api/v1/runs", params=asked | page)
        assert answer.status_code == 200, answer.text
        ids += [run["id"] for run in answer.json()["items"]]
        cursor = answer.json()["next_cursor"]
        if cursor is None:
            return ids


KEYS: dict[RunSort, Callable[[int], Any]] = {
    RunSort.CREATED: lambda _: 0,
    RunSort.NAME: lambda number: "cab"[number % 3],
    RunSort.SIZE: lambda number: FACTS[number][2],
    RunSort.FULLNESS: lambda number: FACTS[number][0] or -1,
    RunSort.AGE_RMSE: lambda number: FACTS[number][1] or 2,
}


@pytest.mark.parametrize("is_descending", [True, False])
@pytest.mark.parametrize("sort", RunSort)
def test_each_order_is_the_same_on_pages(
    client: TestClient, run_ids: list[int], sort: RunSort, is_descending: bool
) -> None:
    places = sorted(range(len(FACTS)), key=lambda number: (KEYS[sort](number), number), reverse=is_descending)
    found = _found(client, sort=sort.value, is_descending=is_descending)
    assert [run_ids.index(run_id) for run_id in found] == places


def test_each_condition_leaves_the_other_runs_out(client: TestClient, run_ids: list[int], host_id: int) -> None:
    def _places(**asked: Any) -> list[int]:
        return sorted(run_ids.index(run_id) for run_id in _found(client, **asked))

    with transaction() as session:
        failed = {"state": JobState.FAILED, "error_code": "core_failed"}
        session.execute(update(Job).where(Job.id == run_ids[1]).values(**failed))
        device_id = session.get_one(Run, run_ids[2]).device_id
        churn = settings_of(profile=None, profile_version_number=None, workload="churn", ops_count=10)
        of_churn = session.get_one(Run, run_ids[4])
        of_churn.settings, of_churn.profile_version_id = churn, None
    assert _places(file_system=["xfs", "btrfs"]) == [1, 2, 3]
    assert _places(state="failed") == [1]
    assert _places(state=["failed", "queued"], file_system="xfs") == [1, 3]
    assert _places(profile="agrawal") == [0, 1, 2, 3]
    assert _places(profile="no-such-profile") == []
    assert _places(workload="churn") == [4]
    assert _places(device_id=device_id) == [2]
    assert (_places(host_id=host_id), _places(host_id=host_id + 99)) == ([0, 1, 2, 3, 4], [])
    assert _places(batch_id=1) == []
    assert (_places(tag="draft"), _places(tag=["draft", "paper"])) == ([0, 2, 4], [0, 1, 2, 3, 4])
    assert (_places(q=" A OF "), _places(q="RAF"), _places(q="f%"), _places(q=" ")) == (
        [1, 4],
        [0, 2, 4],
        [],
        [0, 1, 2, 3, 4],
    )
    day = datetime(2026, 11, 2, tzinfo=UTC)
    assert _places(since=day.isoformat(), until=(day + timedelta(days=2)).isoformat()) == [1, 2]


@pytest.mark.parametrize(
    "asked", [{"state": "asleep"}, {"file_system": "zfs"}, {"device_id": 0}, {"since": "2026-11-01"}, {"sort": "color"}]
)
def test_a_condition_that_no_run_can_meet_is_refused(client: TestClient, asked: dict[str, Any]) -> None:
    answer = client.get("/api/v1/runs", params=asked)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")


def test_a_run_gets_a_name_tags_and_a_note_later(client: TestClient, run_ids: list[int]) -> None:
    path = f"/api/v1/runs/{run_ids[1]}"
    body = {"name": " Mail server ", "tags": ["a", "b", "a"], "note": "Why"}
    run = client.patch(path, json=body).json()
    assert (run["name"], run["tags"], run["note"]) == ("Mail server", ["a", "b"], "Why")
    run = client.patch(path, json={"tags": []}).json()
    assert (run["name"], run["tags"], run["note"]) == ("Mail server", [], "Why")
    assert client.get(path).json()["name"] == "Mail server"
    assert client.patch(path, json={"name": ""}).json()["name"] == ""
    for wrong in ({"name": "x" * 101}, {"name": "two\nlines"}, {"tags": [""]}, {"tags": ["x" * 41]}, {"seed": 1}):
        assert client.patch(path, json=wrong).status_code == 422, wrong
    assert client.patch("/api/v1/runs/999999", json={"name": "x"}).status_code == 404


def test_an_archived_run_is_in_the_archive_alone(client: TestClient, run_ids: list[int]) -> None:
    path = f"/api/v1/runs/{run_ids[1]}"
    archived_at = client.patch(path, json={"archived": True}).json()["archived_at"]
    assert client.patch(path, json={"archived": True}).json()["archived_at"] == archived_at is not None
    assert run_ids[1] not in _found(client)
    assert _found(client, archived=True) == [run_ids[1]]
    assert client.get(path).status_code == 200
    assert client.patch(path, json={"archived": False}).json()["archived_at"] is None
    assert _found(client) == run_ids[::-1]
