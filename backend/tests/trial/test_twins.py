"""Unaged twins of a trial's images: used from the catalog, or made first."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from patina.db import transaction
from patina.image.models import Image
from patina.run.models import Run
from trial_rows import EXPORTED, make_image, trial_body

Factory = Callable[..., int]


@pytest.fixture
def device_id(make_device: Factory) -> int:
    return make_device()


@pytest.fixture
def aged_id(publish_image: Factory) -> int:
    return make_image(publish_image)


def run_of(image_id: int) -> int:
    with transaction() as session:
        return session.get_one(Image, image_id).run_id or 0


def post(client: TestClient, body: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = client.post("/api/v1/trials", json=body | {"adds_twins": True}).json()
    return answer


def test_a_twin_of_the_catalog_is_measured_first(
    client: TestClient, device_id: int, aged_id: int, publish_image: Factory
) -> None:
    recipe = {"survivors": True, "replay_of": run_of(aged_id)}
    twin_id = make_image(publish_image, "twin", recipe=recipe)
    trial = post(client, trial_body(device_id, aged_id))
    arms = [(arm["image_id"], arm["state"], arm["is_base"]) for arm in trial["settings"]["arms"]]
    assert arms == [(twin_id, "unaged", True), (aged_id, "Agrawal 2007 70 %", False)]
    assert not trial["is_waiting"]


def test_an_image_of_another_server_is_no_twin_of_a_run_of_this_one(
    client: TestClient, device_id: int, aged_id: int, publish_image: Factory
) -> None:
    make_image(publish_image, "foreign", recipe={"survivors": True, "replay_of": run_of(aged_id)}, **EXPORTED)
    assert post(client, trial_body(device_id, aged_id))["code"] == "operation_log_missing"


def test_a_twin_that_is_missing_is_made_first(client: TestClient, device_id: int, aged_id: int) -> None:
    with transaction() as session:
        session.get_one(Run, run_of(aged_id)).operation_log_bytes = 1
    trial = post(client, trial_body(device_id, aged_id))
    twin = client.get("/api/v1/runs").json()["items"][0]
    assert (twin["workload"], twin["survivors"], twin["replay_of"]) == ("replay", True, run_of(aged_id))
    assert trial["settings"]["arms"][0]["run_id"] == twin["id"]
    assert (trial["is_waiting"], trial["message"]) == (True, f"Waits until run {twin['id']} has ended")


def test_a_run_without_a_log_has_no_twin(client: TestClient, device_id: int, aged_id: int) -> None:
    answer = post(client, trial_body(device_id, aged_id))
    assert (answer["status"], answer["code"]) == (409, "operation_log_missing")


def test_a_trial_that_its_twins_make_too_large_is_refused(
    client: TestClient, device_id: int, aged_id: int, publish_image: Factory
) -> None:
    make_image(publish_image, "twin", recipe={"survivors": True, "replay_of": run_of(aged_id)})
    answer = post(client, trial_body(device_id, *[aged_id] * 10, repetitions_count=1000))
    assert (answer["status"], answer["code"]) == (422, "trial_too_large")
    assert "more than 10000 repetitions" in answer["detail"]
    answer = post(client, trial_body(device_id, *[aged_id] * 32))
    assert answer["code"] == "trial_too_large"
