"""The list of devices: what each holds and what is done on it, in one answer, as far as who asks sees it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from patina.db import engine, transaction
from patina.delta.models import Delta, Holding
from patina.device.models import Device
from patina.job.models import Job
from patina.job.state import JobState
from people import People
from run_requests import run_body
from trial_rows import make_image, trial_body

Factory = Callable[..., int]


def listed(client: TestClient) -> dict[str, dict[str, Any]]:
    """Returns the devices by their stable id."""
    return {item["stable_id"]: item for item in client.get("/api/v1/devices").json()["items"]}


def hold(device_id: int, image_id: int, **columns: Any) -> None:
    with transaction() as session:
        columns = {"generation": "", "verified_at": datetime.now(UTC), "differs": False} | columns
        session.add(Holding(device_id=device_id, image_id=image_id, **columns))


def start(client: TestClient, path: str, body: dict[str, Any]) -> int:
    answer = client.post(f"/api/v1{path}", json=body)
    assert answer.status_code < 300, answer.text
    return int(answer.json()["id"])


def end(job_id: int, state: JobState, message: str) -> None:
    with transaction() as session:
        job = session.get_one(Job, job_id)
        job.state, job.message = state, message
        job.error_code = "device_gone" if state == JobState.FAILED else None
        assert job.lease is not None
        job.lease.released_at = datetime.now(UTC)


def test_devices_are_listed_in_the_order_of_their_numbers(client: TestClient, make_device: Factory) -> None:
    for name in ("loop11", "loop2", "loop7"):
        make_device(name)
    assert list(listed(client)) == ["loop2", "loop7", "loop11"]


def test_a_device_that_nothing_is_known_of_holds_nothing(client: TestClient, make_device: Factory) -> None:
    make_device("blank")
    blank = listed(client)["blank"]
    assert (blank["holding"], blank["jobs"], blank["last_job"]) == (None, [], None)


def test_a_device_has_its_image_and_the_delta_since(
    client: TestClient, make_device: Factory, publish_image: Factory
) -> None:
    traced, known = make_device("traced"), make_device("known")
    image_id = make_image(publish_image)
    with transaction() as session:
        delta = Delta(
            device_id=traced, image_id=image_id, file_name="1", source="trace", incomplete_reason=None,
            touched_bytes=4096, extents_count=1, events_count=1, dropped_count=0,
        )  # fmt: skip
        session.add(delta)
        session.flush()
        delta_id = delta.id
    hold(traced, image_id, delta_id=delta_id)
    hold(known, image_id)
    every = listed(client)
    found = {name: every[name] for name in ("traced", "known")}
    assert {item["holding"]["image"]["name"] for item in found.values()} == {"aged"}
    assert found["traced"]["holding"]["delta"]["touched_bytes"] == 4096
    assert found["known"]["holding"]["delta"] is None
    assert not found["known"]["holding"]["image"]["is_deleted"]
    for name, item in found.items():
        assert item["holding"] == client.get(f"/api/v1/devices/{item['id']}/holding").json(), name


def test_a_device_says_that_its_image_is_deleted(
    client: TestClient, make_device: Factory, publish_image: Factory
) -> None:
    image_id = make_image(publish_image)
    hold(make_device("disk"), image_id)
    assert client.delete(f"/api/v1/images/{image_id}").status_code == 204
    assert listed(client)["disk"]["holding"]["image"]["is_deleted"]


def test_a_name_of_an_image_is_of_a_capture_alone(client: TestClient, make_device: Factory) -> None:
    confirmation = {"stable_id": "disk", "size_bytes": 2**30, "typed": None}
    body = {"kind": "trace", "device_id": make_device("disk"), "image_name": "kept", "confirmation": confirmation}
    refused = client.post("/api/v1/actions", json=body)
    assert refused.status_code == 422
    assert "image_name is of a capture alone" in refused.text


def test_the_job_that_holds_a_device_comes_before_those_that_wait(client: TestClient, make_device: Factory) -> None:
    device_id = make_device("busy")
    typed = {"confirmation": {"stable_id": "busy", "size_bytes": 2**30, "typed": "/dev/busy"}}
    held = start(client, "/runs", run_body(device_id, "busy"))
    waiting = [start(client, "/runs", run_body(device_id, "busy", waits=True) | typed) for _ in range(2)]
    with transaction() as session:
        session.get_one(Job, held).eta_s = 90.0
    jobs = listed(client)["busy"]["jobs"]
    assert [(job["id"], job["is_waiting"]) for job in jobs] == [(held, False), *((one, True) for one in waiting)]
    assert (jobs[0]["kind"], jobs[0]["eta_s"], jobs[0]["is_changeable"]) == ("run", 90.0, True)


def test_the_last_job_is_the_newest_of_any_kind(
    client: TestClient, make_device: Factory, publish_image: Factory
) -> None:
    device_id, image_id = make_device("used"), make_image(publish_image)
    confirmation = {"stable_id": "used", "size_bytes": 2**30, "typed": "/dev/used"}
    restore = {"kind": "restore", "device_id": device_id, "image_id": image_id, "confirmation": confirmation}
    action_id = start(client, "/actions", restore)
    assert listed(client)["used"]["last_job"] is None
    end(action_id, JobState.SUCCEEDED, "Restored")
    last = listed(client)["used"]["last_job"]
    assert (last["id"], last["kind"], last["message"]) == (action_id, "restore", "Restored")
    trial_id = start(
        client, "/trials", trial_body(device_id, image_id, stable_id="used") | {"confirmation": confirmation}
    )
    end(trial_id, JobState.FAILED, "The device is gone")
    last = listed(client)["used"]["last_job"]
    assert (last["id"], last["kind"], last["state"]) == (trial_id, "trial", "failed")


def test_a_private_job_is_not_among_those_of_its_device(people: People, make_device: Factory) -> None:
    body = run_body(make_device("one"), "one") | {"sharing": {"visibility": "private"}}
    run_id = start(people.client["ada"], "/runs", body)
    for who, seen in (("ada", [run_id]), ("olga", [run_id]), ("eve", []), ("vera", [])):
        item = listed(people.client[who])["one"]
        assert [job["id"] for job in item["jobs"]] == seen, who
        assert item["last_job"] is None
    end(run_id, JobState.FAILED, "Failed")
    with transaction() as session:
        assert session.get_one(Device, session.get_one(Job, run_id).device_id).stable_id == "one"
    assert listed(people.client["eve"])["one"]["last_job"] is None


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """Yields the statements that are executed from now on."""
    said: list[str] = []

    def _note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        said.append(statement)

    event.listen(engine(), "before_cursor_execute", _note)
    yield said
    event.remove(engine(), "before_cursor_execute", _note)


def test_more_devices_take_no_more_statements(
    client: TestClient, make_device: Factory, publish_image: Factory, statements: list[str]
) -> None:
    image_id = make_image(publish_image)

    def _add(number: int) -> None:
        name = f"device-{number}"
        device_id = make_device(name)
        hold(device_id, image_id)
        start(client, "/runs", run_body(device_id, name))
        restored = f"{name}-restored"
        device_id = make_device(restored)
        confirmation = {"stable_id": restored, "size_bytes": 2**30, "typed": f"/dev/{restored}"}
        restore = {"kind": "restore", "device_id": device_id, "image_id": image_id, "confirmation": confirmation}
        action_id = start(client, "/actions", restore)
        if number % 2:
            end(action_id, JobState.SUCCEEDED, "Restored")

    def _counted() -> int:
        statements.clear()
        listed(client)
        return len(statements)

    for number in range(2):
        _add(number)
    few = _counted()
    for number in range(2, 8):
        _add(number)
    assert _counted() == few
