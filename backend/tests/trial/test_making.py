"""Trials that age their images first: runs are queued before the trial, equal ones once."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from trial_rows import make_image, trial_body

Factory = Callable[..., int]
AGES: dict[str, Any] = {"profile": "agrawal", "fullness": 0.5, "seed": 7, "data_mode": "materialize"}


@pytest.fixture
def device_id(make_device: Factory) -> int:
    return make_device()


def arms_of(*ages: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {"arms": [{"ages": settings} for settings in ages]} | changes


def test_an_image_is_aged_first_and_its_twin_after_it(client: TestClient, device_id: int) -> None:
    body = trial_body(device_id, 1) | arms_of(AGES, AGES | {"file_system": "xfs"}, adds_twins=True)
    trial = client.post("/api/v1/trials", json=body).json()
    runs = {run["id"]: run for run in client.get("/api/v1/runs").json()["items"]}
    assert [run["id"] for run in trial["runs"]] == sorted(runs)
    made = [(runs[arm["run_id"]]["file_system"], arm["state"], arm["is_base"]) for arm in trial["settings"]["arms"]]
    assert made == [
        ("ext4", "unaged", True),
        ("ext4", "Agrawal 2007 50 %", False),
        ("xfs", "unaged", True),
        ("xfs", "Agrawal 2007 50 %", False),
    ]
    for run in runs.values():
        if run["survivors"]:
            assert run["replay_of"] < run["id"]
    assert trial["is_waiting"]


def test_the_confirmation_of_the_first_run_covers_the_jobs_after_it(client: TestClient, make_device: Factory) -> None:
    device_id = make_device(holds=None)
    body = trial_body(device_id, 1) | arms_of(AGES, AGES | {"file_system": "xfs"}, adds_twins=True)
    body["confirmation"].pop("typed", None)
    assert len(client.post("/api/v1/trials", json=body).json()["runs"]) == 4
    other = client.post("/api/v1/trials", json=body).json()
    assert other["code"] == "confirmation_mismatch"  # that one would destroy the work of another request


def test_a_recipe_is_aged_with_data_where_the_files_of_its_image_have_none(
    client: TestClient, device_id: int, publish_image: Callable[..., int]
) -> None:
    image_id = make_image(publish_image, recipe={"data_mode": "sparse"})
    body = trial_body(device_id, image_id, workloads=[{"kind": "grep"}])
    assert client.post("/api/v1/trials", json=body).json()["code"] == "trial_needs_data"
    body["arms"][0]["gets_data"] = True
    trial = client.post("/api/v1/trials", json=body).json()
    (arm,) = trial["settings"]["arms"]
    run = client.get(f"/api/v1/runs/{arm['run_id']}").json()
    made = client.get(f"/api/v1/images/{image_id}").json()
    assert run["data_mode"] == "materialize"
    assert (run["seed"], run["file_system"]) == (made["recipe"]["seed"], made["file_system"])


def test_an_image_with_data_is_not_aged_again(
    client: TestClient, device_id: int, publish_image: Callable[..., int]
) -> None:
    image_id = make_image(publish_image)
    body = trial_body(device_id, image_id, workloads=[{"kind": "grep"}])
    body["arms"][0]["gets_data"] = True
    trial = client.post("/api/v1/trials", json=body).json()
    assert [arm["image_id"] for arm in trial["settings"]["arms"]] == [image_id]


def test_arms_with_equal_settings_share_a_run(client: TestClient, device_id: int) -> None:
    body = trial_body(device_id, 1) | arms_of(AGES, AGES)
    body["arms"][1]["has_journal"] = False
    trial = client.post("/api/v1/trials", json=body).json()
    assert len(trial["runs"]) == 1
    assert [arm["group"] for arm in trial["settings"]["arms"]] == ["ext4", "ext4 without journal"]


def test_arms_without_journal_have_a_twin_of_their_own(client: TestClient, device_id: int) -> None:
    body = trial_body(device_id, 1) | arms_of(AGES, AGES, AGES | {"file_system": "xfs"}, adds_twins=True)
    body["arms"][1]["has_journal"] = False
    trial = client.post("/api/v1/trials", json=body).json()
    assert len(trial["runs"]) == 4  # both twins of ext4 are one image
    assert [(arm["group"], arm["state"], arm["is_base"]) for arm in trial["settings"]["arms"]] == [
        ("ext4", "unaged", True),
        ("ext4", "Agrawal 2007 50 %", False),
        ("ext4 without journal", "unaged", True),
        ("ext4 without journal", "Agrawal 2007 50 %", False),
        ("xfs", "unaged", True),
        ("xfs", "Agrawal 2007 50 %", False),
    ]


def test_a_run_that_is_refused_starts_nothing(client: TestClient, device_id: int) -> None:
    body = trial_body(device_id, 1) | arms_of(AGES, AGES | {"profile": "unknown"})
    answer = client.post("/api/v1/trials", json=body).json()
    assert answer["code"] == "profile_unknown"
    assert client.get("/api/v1/runs").json()["items"] == []
    assert client.get("/api/v1/trials").json()["items"] == []


@pytest.mark.parametrize("arm", [{}, {"image_id": 1, "ages": AGES}, {"image_id": 1, "run_id": 1}])
def test_an_arm_has_one_source(client: TestClient, device_id: int, arm: dict[str, Any]) -> None:
    answer = client.post("/api/v1/trials", json=trial_body(device_id, 1) | {"arms": [arm]})
    assert answer.status_code == 422
