"""Runs on several devices, started together or not at all."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
import redis
from fastapi.testclient import TestClient

from patina.device.state import DeviceCondition
from patina.queue import host_queue
from patina_stack.services import PrivateServices

GIB = 2**30
DeviceFactory = Callable[..., int]


def _member(device_id: int, stable_id: str, **changes: object) -> dict[str, Any]:
    return {"device_id": device_id, "confirmation": {"stable_id": stable_id, "size_bytes": GIB}, **changes}


def _body(*members: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {"profile": "agrawal", "fullness": 0.7, "members": list(members), **changes}


@pytest.fixture
def members(make_device: DeviceFactory) -> list[dict[str, Any]]:
    return [_member(make_device(name), name) for name in ("one", "two", "three")]


def _sent_count(services: PrivateServices) -> int:
    return redis.Redis.from_url(services.ports.redis_url).llen(f"patina:{host_queue('local')}")


def _all_runs(client: TestClient) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get("/api/v1/runs").json()["items"]
    return items


def test_a_batch_starts_one_run_a_device_with_one_seed(
    client: TestClient, members: list[dict[str, Any]], services: PrivateServices
) -> None:
    answer = client.post("/api/v1/batches", json=_body(*members, max_rmse=0.02, note="three alike"))
    assert answer.status_code == 202, answer.text
    batch = answer.json()
    assert answer.headers["Location"] == f"/api/v1/batches/{batch['id']}"
    assert [run["device"]["stable_id"] for run in batch["runs"]] == ["one", "two", "three"]
    for run in batch["runs"]:
        settings = (run["state"], run["fullness"], run["max_rmse"], run["note"], run["batch_id"])
        assert settings == ("queued", 0.7, 0.02, "three alike", batch["id"])
        assert run["device"]["active_lease"]["holder"] == f"run {run['id']}"
    assert len({run["seed"] for run in batch["runs"]}) == 1
    assert _sent_count(services) == 3
    assert client.get(f"/api/v1/batches/{batch['id']}").json() == batch


def test_the_runs_of_a_batch_are_in_the_order_that_was_chosen(
    client: TestClient, members: list[dict[str, Any]], services: PrivateServices
) -> None:
    one, two, three = members
    batch = client.post("/api/v1/batches", json=_body(three, one, two)).json()
    assert [run["device"]["stable_id"] for run in batch["runs"]] == ["three", "one", "two"]
    (listed,) = client.get("/api/v1/batches").json()["items"]
    assert [run["device_path"] for run in listed["runs"]] == ["/dev/three", "/dev/one", "/dev/two"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"device_id": 999}, "Device 999: "),
        ({"confirmation": {"stable_id": "another", "size_bytes": GIB}}, "/dev/two: You confirmed another"),
    ],
)
def test_one_member_refused_starts_none_and_is_named(
    client: TestClient,
    members: list[dict[str, Any]],
    services: PrivateServices,
    change: dict[str, object],
    said: str,
) -> None:
    one, two, three = members
    answer = client.post("/api/v1/batches", json=_body(one, two | change, three))
    assert (answer.status_code, answer.json()["code"]) == (409, "batch_refused")
    (problem,) = answer.json()["errors"]
    assert problem["field"] == "members.1"
    assert said in problem["message"]
    assert problem["message"] in answer.json()["detail"]
    _nothing_happened(client, services)


def _nothing_happened(client: TestClient, services: PrivateServices) -> None:
    assert _all_runs(client) == []
    assert client.get("/api/v1/batches").json()["items"] == []
    assert [device["state"] for device in client.get("/api/v1/devices").json()["items"]] == ["available"] * 3
    assert _sent_count(services) == 0


def test_each_member_that_is_refused_is_named_with_its_reason(
    client: TestClient, make_device: DeviceFactory, services: PrivateServices
) -> None:
    make_device("mounted", condition=DeviceCondition.PROTECTED, condition_reason="mounted at /home")
    make_device("small", size_bytes=128 * 1024)
    make_device("full", holds="ext4")
    small = {"confirmation": {"stable_id": "small", "size_bytes": 128 * 1024}}
    body = _body(_member(3, "full"), _member(1, "mounted"), _member(2, "small", **small))
    answer = client.post("/api/v1/batches", json=body).json()
    said = {problem["field"]: problem["message"] for problem in answer["errors"]}
    assert "serial, path or name" in said["members.0"]
    assert "mounted at /home" in said["members.1"]
    assert said["members.2"].startswith("/dev/small: ")
    assert _all_runs(client) == []
    assert _sent_count(services) == 0


def test_a_busy_device_refuses_the_batch_unless_it_waits(
    client: TestClient, members: list[dict[str, Any]], services: PrivateServices
) -> None:
    one, two, three = members
    first = client.post("/api/v1/batches", json=_body(one, two)).json()
    refused = client.post("/api/v1/batches", json=_body(two, three)).json()
    assert refused["code"] == "batch_refused"
    assert f"run {first['runs'][1]['id']}" in refused["detail"]
    assert client.get("/api/v1/devices/3").json()["state"] == "available"

    typed = {"stable_id": "two", "size_bytes": GIB, "typed": "/dev/two"}
    waiting = client.post("/api/v1/batches", json=_body(two | {"confirmation": typed}, three, waits=True)).json()
    assert [run["is_waiting"] for run in waiting["runs"]] == [True, False]
    assert _sent_count(services) == 3


def test_the_same_key_starts_one_batch(client: TestClient, members: list[dict[str, Any]]) -> None:
    headers = {"Idempotency-Key": "once"}
    first, second = (client.post("/api/v1/batches", json=_body(*members), headers=headers) for _ in range(2))
    assert first.json() == second.json()
    assert len(_all_runs(client)) == 3
    other = client.post("/api/v1/batches", json=_body(*members, fullness=0.5), headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
    assert len(_all_runs(client)) == 3


def test_the_same_request_sent_at_once_starts_one_batch(client: TestClient, members: list[dict[str, Any]]) -> None:
    answers: list[dict[str, Any]] = []

    def _send() -> None:
        headers = {"Idempotency-Key": "at once"}
        answers.append(client.post("/api/v1/batches", json=_body(*members), headers=headers).json())

    threads = [threading.Thread(target=_send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer["id"] for answer in answers] == [answers[0]["id"]] * 4
    assert len(_all_runs(client)) == 3


def test_batches_for_the_same_devices_in_other_orders_do_not_block_each_other(
    client: TestClient, members: list[dict[str, Any]]
) -> None:
    codes: list[int] = []

    def _send(chosen: list[dict[str, Any]]) -> None:
        codes.append(client.post("/api/v1/batches", json=_body(*chosen)).status_code)

    threads = [threading.Thread(target=_send, args=(order,)) for order in (members, members[::-1]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [202, 409, 409, 409, 409, 409]
    assert len(_all_runs(client)) == 3


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"profile": "agrawl"}, 404, "profile_unknown"),
        ({"fullness": 2}, 422, "request_invalid"),
        ({"members": []}, 422, "request_invalid"),
        ({"device_id": 1}, 422, "request_invalid"),
        ({"max_rmse": 0.1, "max_overwrites": 2}, 422, "request_invalid"),
    ],
)
def test_a_request_that_is_wrong_for_all_is_refused_as_such(
    client: TestClient,
    members: list[dict[str, Any]],
    services: PrivateServices,
    change: dict[str, object],
    status: int,
    code: str,
) -> None:
    answer = client.post("/api/v1/batches", json=_body(*members) | change)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    _nothing_happened(client, services)


def test_a_batch_is_not_for_one_device_or_for_more_than_a_page_compares(
    client: TestClient, members: list[dict[str, Any]]
) -> None:
    for chosen in (members[:1], members * 3):
        answer = client.post("/api/v1/batches", json=_body(*chosen))
        assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")


def test_canceling_a_batch_cancels_what_has_not_ended(client: TestClient, members: list[dict[str, Any]]) -> None:
    batch = client.post("/api/v1/batches", json=_body(*members)).json()
    client.post(f"/api/v1/jobs/{batch['runs'][0]['id']}/stop")
    canceled = client.post(f"/api/v1/batches/{batch['id']}/stop")
    assert canceled.status_code == 202
    assert [run["state"] for run in canceled.json()["runs"]] == ["canceled"] * 3
    assert client.get("/api/v1/devices/1").json()["state"] == "available"
    assert client.post(f"/api/v1/batches/{batch['id']}/stop").json() == canceled.json()


def test_batches_are_listed_newest_first_page_by_page(client: TestClient, make_device: DeviceFactory) -> None:
    for number in range(3):
        names = [f"device-{number}-{member}" for member in range(2)]
        body = _body(*(_member(make_device(name), name) for name in names), seed=number)
        assert client.post("/api/v1/batches", json=body).status_code == 202
    first = client.get("/api/v1/batches", params={"limit": 2}).json()
    assert [(batch["id"], batch["seed"], batch["profile"]) for batch in first["items"]] == [
        (3, 2, "agrawal"),
        (2, 1, "agrawal"),
    ]
    assert [run["device_path"] for run in first["items"][0]["runs"]] == ["/dev/device-2-0", "/dev/device-2-1"]
    rest = client.get("/api/v1/batches", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert ([batch["id"] for batch in rest["items"]], rest["next_cursor"]) == ([1], None)


def test_an_unknown_batch_says_so(client: TestClient) -> None:
    for answer in (client.get("/api/v1/batches/999"), client.post("/api/v1/batches/999/stop")):
        assert (answer.status_code, answer.json()["code"]) == (404, "batch_unknown")
