"""Starting, reading and canceling runs; their states and their events."""

import json
import threading
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from patina.activity import events
from patina.activity.payload import JobEventPage, job_payload
from patina.db import transaction
from patina.device.state import DeviceCondition
from patina.file_system.table import FileSystem
from patina.job import journal
from patina.job.event import Step
from patina.job.state import ENDED, MOVES, JobState, may_move
from patina.run import service
from patina.run.models import Run
from patina.run.schemas import RunPage
from patina.settings import PROJECT_DIR
from run_requests import run_body

GIB = 2**30
MIB = 2**20
DeviceFactory = Callable[..., int]


def test_a_run_is_queued_and_its_device_busy(client: TestClient, run_id: int) -> None:
    run = client.get(f"/api/v1/runs/{run_id}").json()
    assert (run["state"], run["device"]["state"]) == ("queued", "busy")
    assert run["device"]["active_lease"]["holder"] == f"run {run_id}"
    (event,) = client.get(f"/api/v1/jobs/{run_id}/events").json()["items"]
    assert (event["sequence"], event["payload"]["state"]) == (1, "queued")


def test_a_second_run_on_the_same_device_is_refused_naming_the_first(client: TestClient, run_id: int) -> None:
    answer = client.post("/api/v1/runs", json=run_body(1))
    assert (answer.status_code, answer.json()["code"]) == (409, "device_busy")
    assert f"run {run_id}" in answer.json()["detail"]


def test_the_same_idempotency_key_starts_one_run(client: TestClient, make_device: DeviceFactory) -> None:
    body, headers = run_body(make_device()), {"Idempotency-Key": "once"}
    first = client.post("/api/v1/runs", json=body, headers=headers).json()
    second = client.post("/api/v1/runs", json=body, headers=headers).json()
    assert first["id"] == second["id"]
    assert len(client.get("/api/v1/runs").json()["items"]) == 1


@pytest.mark.parametrize(
    "change", [{"fullness": 0.5}, {"seed": 8}, {"max_seconds": 60.0}, {"mode": "fast"}, {"note": "another"}]
)
def test_an_idempotency_key_is_not_for_another_request(
    client: TestClient, make_device: DeviceFactory, change: dict[str, object]
) -> None:
    body, headers = run_body(make_device()), {"Idempotency-Key": "once"}
    client.post("/api/v1/runs", json=body, headers=headers)
    answer = client.post("/api/v1/runs", json=body | change, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_key_reused")


def test_a_key_stands_for_what_was_asked_also_after_the_conditions_were_changed(
    client: TestClient, make_device: DeviceFactory
) -> None:
    body, headers = run_body(make_device(), max_seconds=60.0), {"Idempotency-Key": "once"}
    first = client.post("/api/v1/runs", json=body, headers=headers).json()
    with transaction() as session:
        run = session.get_one(Run, first["id"])
        run.settings = run.settings | {"max_seconds": 5.0}
    assert client.post("/api/v1/runs", json=body, headers=headers).json()["id"] == first["id"]


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"profile": "agrawl"}, 404, "profile_unknown"),
        ({"device_id": 999}, 404, "device_unknown"),
        ({"fullness": 0}, 422, "request_invalid"),
        ({"fullness": 1.2}, 422, "request_invalid"),
        ({"file_system": "zfs"}, 422, "request_invalid"),
        ({"confirmation": {"stable_id": "another", "size_bytes": GIB}}, 409, "confirmation_mismatch"),
        ({"confirmation": {"stable_id": "sandbox-1", "size_bytes": 2 * GIB}}, 409, "confirmation_mismatch"),
    ],
)
def test_a_wrong_request_is_refused_and_leaves_the_device_free(
    client: TestClient, make_device: DeviceFactory, change: dict[str, object], status: int, code: str
) -> None:
    device_id = make_device()
    answer = client.post("/api/v1/runs", json=run_body(device_id) | change)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert client.get(f"/api/v1/devices/{device_id}").json()["state"] == "available"
    assert client.get("/api/v1/runs").json()["items"] == []


def test_a_device_too_small_for_the_profile_is_refused(client: TestClient, make_device: DeviceFactory) -> None:
    device_id = make_device(size_bytes=128 * 1024)
    confirmation = {"stable_id": "sandbox-1", "size_bytes": 128 * 1024}
    answer = client.post("/api/v1/runs", json=run_body(device_id, confirmation=confirmation))
    assert (answer.status_code, answer.json()["code"]) == (422, "profile_does_not_fit")
    assert client.get(f"/api/v1/devices/{device_id}").json()["state"] == "available"


@pytest.mark.parametrize(
    ("size_bytes", "change", "status", "code", "words"),
    [
        (299 * MIB, {"file_system": "xfs"}, 409, "device_too_small", "xfs needs a device of 300 MiB or more"),
        (108 * MIB, {"file_system": "btrfs"}, 409, "device_too_small", "btrfs needs a device of 109 MiB or more"),
        (GIB, {"file_system": "btrfs", "capture_mode": "metadata"}, 422, "capture_mode_unsupported", "checksum"),
        (GIB, {"file_system": "f2fs"}, 409, "file_system_missing", "this host's kernel lacks f2fs"),
        (5 * GIB, {"in_memory": True, "data_mode": "write"}, 409, "memory_too_small", "may take 5.00 GiB"),
        (17 * GIB, {"in_memory": True}, 409, "memory_too_small", "host local can give 4.00 GiB"),
    ],
)
def test_what_a_device_or_its_host_cannot_do_is_refused_saying_why(
    client: TestClient,
    make_device: DeviceFactory,
    size_bytes: int,
    change: dict[str, object],
    status: int,
    code: str,
    words: str,
) -> None:
    device_id = make_device(size_bytes=size_bytes)
    confirmation = {"stable_id": "sandbox-1", "size_bytes": size_bytes}
    answer = client.post("/api/v1/runs", json=run_body(device_id, confirmation=confirmation) | change)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert words in answer.json()["detail"]
    assert client.get(f"/api/v1/devices/{device_id}").json()["state"] == "available"


@pytest.mark.parametrize("file_system", ["ext4", "xfs", "btrfs"])
def test_a_run_has_the_file_system_that_was_asked_for(
    client: TestClient, make_device: DeviceFactory, file_system: str
) -> None:
    body = run_body(make_device()) | {"file_system": file_system, "in_memory": True}
    run = client.post("/api/v1/runs", json=body).json()
    assert (run["file_system"], run["in_memory"]) == (file_system, True)


def test_memory_that_another_run_may_take_is_not_given_again(client: TestClient, make_device: DeviceFactory) -> None:
    for name, status in (("sandbox-1", 202), ("sandbox-2", 409)):
        device_id = make_device(name, size_bytes=3 * GIB)
        confirmation = {"stable_id": name, "size_bytes": 3 * GIB}
        body = run_body(device_id, confirmation=confirmation) | {"in_memory": True}
        assert client.post("/api/v1/runs", json=body).status_code == status


def test_the_number_of_threads_may_be_chosen_in_mode_unbounded_alone(
    client: TestClient, make_device: DeviceFactory
) -> None:
    body = run_body(make_device(), threads_count=4)
    refused = client.post("/api/v1/runs", json=body)
    assert refused.status_code == 422
    assert "threads_count is set by mode faithful" in refused.text
    assert client.post("/api/v1/runs", json=body | {"mode": "unbounded"}).status_code == 202


def test_a_device_says_which_file_systems_it_can_hold(client: TestClient, make_device: DeviceFactory) -> None:
    device = client.get(f"/api/v1/devices/{make_device(size_bytes=200 * MIB)}").json()
    offers = {offer["name"]: offer for offer in device["file_systems"]}
    assert list(offers) == list(FileSystem)
    assert offers["xfs"]["least_device_bytes"] == 300 * MIB
    assert offers["btrfs"]["capacity_estimate_bytes"] == 200 * MIB
    assert list(offers["btrfs"]["refused_captures"]) == ["metadata"]
    assert list(offers["f2fs"]["refused_captures"]) == ["allocated", "metadata"]
    assert offers["f2fs"]["why_missing"] == "this host's kernel lacks f2fs"
    assert offers["ext4"]["why_missing"] is None
    assert device["fits_in_memory"] is True


def test_a_protected_device_is_refused_saying_why(client: TestClient, make_device: DeviceFactory) -> None:
    device_id = make_device(condition=DeviceCondition.PROTECTED, condition_reason="mounted at /home")
    answer = client.post("/api/v1/runs", json=run_body(device_id))
    assert (answer.status_code, answer.json()["code"]) == (409, "device_protected")
    assert "mounted at /home" in answer.json()["detail"]


def test_a_device_that_is_not_ready_is_refused(client: TestClient, make_device: DeviceFactory) -> None:
    answer = client.post("/api/v1/runs", json=run_body(make_device(condition=DeviceCondition.CREATING)))
    assert (answer.status_code, answer.json()["code"]) == (409, "device_not_ready")


def test_a_device_that_holds_something_must_be_confirmed_by_typing(
    client: TestClient, make_device: DeviceFactory
) -> None:
    body = run_body(make_device(holds="ext4", serial="S3X9"))
    answer = client.post("/api/v1/runs", json=body)
    assert (answer.status_code, answer.json()["code"]) == (409, "confirmation_mismatch")
    assert "S3X9" in answer.json()["detail"]
    typed = {"stable_id": "sandbox-1", "size_bytes": GIB, "typed": "S3X9"}
    assert client.post("/api/v1/runs", json=body | {"confirmation": typed}).status_code == 202


def test_a_queued_run_is_canceled_at_once_and_frees_its_device(client: TestClient, run_id: int) -> None:
    assert client.post(f"/api/v1/jobs/{run_id}/stop").json()["state"] == "canceled"
    assert client.get("/api/v1/devices/1").json()["state"] == "available"
    assert client.post(f"/api/v1/jobs/{run_id}/stop").json()["state"] == "canceled"


def test_a_running_run_is_told_to_stop(client: TestClient, run_id: int) -> None:
    with transaction() as session:
        run = service.get_run(session=session, run_id=run_id)
        journal.move(session=session, job=run, from_state=JobState.QUEUED, to_state=JobState.RUNNING, message="Started")
    canceled = client.post(f"/api/v1/jobs/{run_id}/stop").json()
    assert canceled["state"] == "canceling"
    assert canceled["stop_requested_at"] is not None


def test_every_request_for_an_unknown_run_is_not_found(client: TestClient) -> None:
    answer = client.get("/api/v1/runs/999")
    assert (answer.status_code, answer.json()["code"]) == (404, "job_unknown")
    for path in ("", "/events", "/stream"):
        answer = client.get(f"/api/v1/jobs/999{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "job_unknown")
    assert client.post("/api/v1/jobs/999/stop").status_code == 404


def test_runs_are_listed_newest_first_page_by_page(client: TestClient, make_device: DeviceFactory) -> None:
    for number in range(5):
        body = run_body(make_device(f"sandbox-{number}"), f"sandbox-{number}")
        assert client.post("/api/v1/runs", json=body).status_code == 202
    seen, cursor = [], None
    while True:
        page = client.get("/api/v1/runs", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
        seen += [run["id"] for run in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [5, 4, 3, 2, 1]
    assert [r["id"] for r in client.get("/api/v1/runs", params={"device_id": 3}).json()["items"]] == [3]


def test_a_move_from_the_wrong_state_is_a_conflict(client: TestClient, run_id: int) -> None:
    with transaction() as session:
        run = service.get_run(session=session, run_id=run_id)
        with pytest.raises(journal.StateConflict, match="is queued, not running"):
            journal.move(
                session=session, job=run, from_state=JobState.RUNNING, to_state=JobState.SUCCEEDED, message="Done"
            )


def test_of_two_who_move_a_run_at_once_one_wins(client: TestClient, run_id: int) -> None:
    start, outcomes = threading.Barrier(2), []

    def _move(to_state: JobState) -> None:
        with transaction() as session:
            run = service.get_run(session=session, run_id=run_id)
            start.wait()
            outcomes.append(
                journal.try_move(
                    session=session, job=run, from_state=JobState.QUEUED, to_state=to_state, message="Raced"
                )
            )

    threads = [threading.Thread(target=_move, args=(s,)) for s in (JobState.RUNNING, JobState.CANCELED)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [False, True]
    assert client.get(f"/api/v1/jobs/{run_id}/events").json()["last_sequence"] == 2


def test_events_written_by_many_at_once_have_no_hole_and_no_double(client: TestClient, run_id: int) -> None:
    def _write(number: int) -> None:
        for step in range(20):
            with transaction() as session:
                payload = Step(type="step", message=f"{number}.{step}")
                journal.append(session=session, job_id=run_id, payload=payload)

    threads = [threading.Thread(target=_write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    items = client.get(f"/api/v1/jobs/{run_id}/events").json()["items"]
    assert [event["sequence"] for event in items] == list(range(1, 82))


def test_an_event_of_a_rolled_back_transaction_never_was(client: TestClient, run_id: int) -> None:
    class Undone(Exception):
        pass

    def _undo() -> None:
        with transaction() as session:
            journal.append(session=session, job_id=run_id, payload=Step(type="step", message="undone"))
            raise Undone

    with pytest.raises(Undone):
        _undo()
    with transaction() as session:
        journal.append(session=session, job_id=run_id, payload=Step(type="step", message="done"))
    items = client.get(f"/api/v1/jobs/{run_id}/events", params={"after": 1}).json()["items"]
    assert [(e["sequence"], e["payload"]["message"]) for e in items] == [(2, "done")]


def test_listed_events_are_those_that_were_stored(client: TestClient, run_id: int) -> None:
    lines = (PROJECT_DIR / "native" / "contract" / "age.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = ("plan", "sample", "layout", "space", "checkpoint", "summary")
    with transaction() as session:
        for line in lines:
            if json.loads(line)["type"] in kinds:
                journal.append(session=session, job_id=run_id, payload=job_payload.validate_json(line))
        stored = JobEventPage.model_validate_json(
            events.events_json(session=session, job_id=run_id, after=0, limit=1_000)
        )
    assert {event.payload.type for event in stored.items} > {"plan", "sample", "summary"}
    answer = client.get(f"/api/v1/jobs/{run_id}/events")
    assert answer.headers["content-type"] == "application/json"
    assert JobEventPage.model_validate_json(answer.content) == stored
    second = client.get(f"/api/v1/jobs/{run_id}/events", params={"after": 1, "limit": 1}).json()
    assert [event["sequence"] for event in second["items"]] == [2]


def test_a_list_has_what_a_line_of_it_shows(client: TestClient, run_id: int) -> None:
    run = client.get(f"/api/v1/runs/{run_id}").json()
    [listed] = RunPage.model_validate_json(client.get("/api/v1/runs").content).items
    item = listed.model_dump(mode="json")
    assert item["age_rmse"] is None
    for name in item.keys() - {"age_rmse", "device"}:
        assert item[name] == run[name], name
    assert item["device"] == {name: run["device"][name] for name in ("id", "stable_id", "path", "size_bytes", "host")}
    assert {"plan", "summary", "recipe"}.isdisjoint(item)


@given(st.lists(st.sampled_from(JobState), max_size=12))
def test_after_any_tries_an_ended_run_stays_ended(wanted: list[JobState]) -> None:
    state = JobState.QUEUED
    for target in wanted:
        if may_move(state, target):
            assert state not in ENDED
            state = target
    assert state in MOVES
    assert all(not MOVES[ended] for ended in ENDED)
