"""Trials through the API: started, listed, read; workloads described."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from patina.job.state import JobState
from patina.trial.order import planned
from patina.trial.settings import TrialSettings
from trial_rows import IMPORTED, end, intake, make_image, measured, trial_body

Factory = Callable[..., int]
VARMAIL: dict[str, object] = {"kind": "personality", "name": "varmail"}


@pytest.fixture
def device_id(make_device: Factory) -> int:
    return make_device()


@pytest.fixture
def image_id(publish_image: Factory) -> int:
    return make_image(publish_image)


def started(client: TestClient, body: dict[str, Any], **headers: str) -> dict[str, Any]:
    answer = client.post("/api/v1/trials", json=body, headers=headers)
    assert answer.status_code == 202, answer.text
    trial: dict[str, Any] = answer.json()
    assert answer.headers["Location"] == f"/api/v1/trials/{trial['id']}"
    return trial


def test_a_trial_is_queued_with_all_its_repetitions(client: TestClient, device_id: int, image_id: int) -> None:
    workloads = [{"kind": "find"}, {"kind": "fio", "job": "[read]\nrw=read"}]
    body = trial_body(device_id, image_id, workloads=workloads, repetitions_count=4, name=" First ", seed=5)
    trial = started(client, body)
    assert (trial["state"], trial["name"], trial["is_waiting"]) == ("queued", "First", False)
    assert trial["device"]["active_lease"]["holder"] == f"trial {trial['id']}"
    assert (trial["environment"], trial["result"], trial["figures"], trial["rank_changes"]) == (None, None, [], [])
    order = planned(TrialSettings.model_validate(trial["settings"]), seed=5)
    assert [(row["arm"], row["workload"], row["number"]) for row in trial["repetitions"]] == [
        (each.arm, each.workload, each.number) for each in order
    ]
    assert [row["position"] for row in trial["repetitions"]] == list(range(8))
    assert {row["state"] for row in trial["repetitions"]} == {"planned"}
    assert {row["image"]["name"] for row in trial["repetitions"]} == {"aged"}
    assert client.get(f"/api/v1/trials/{trial['id']}").json() == trial


def test_a_seed_is_chosen_and_stored(client: TestClient, device_id: int, image_id: int) -> None:
    trial = started(client, trial_body(device_id, image_id))
    assert 0 <= trial["settings"]["seed"] < 2**53
    end(trial["id"], JobState.CANCELED)
    other = started(client, trial_body(device_id, image_id))
    assert other["settings"]["seed"] != trial["settings"]["seed"]


def test_the_number_of_files_is_one_for_all_arms_by_the_fullest(
    client: TestClient, device_id: int, publish_image: Factory
) -> None:
    emptier = make_image(publish_image, "emptier", fullness=0.2)
    fuller = make_image(publish_image, "fuller", fullness=0.9)
    imported = make_image(publish_image, "imported", intake=intake("unaged"), **IMPORTED)
    counts = []
    for arms in ((emptier,), (imported,), (fuller,), (emptier, imported, fuller)):
        trial = started(client, trial_body(device_id, *arms, workloads=[VARMAIL]))
        counts.append(trial["settings"]["workloads"][0]["files_count"])
        end(trial["id"], JobState.CANCELED)
    assert counts[0] > counts[1] > counts[2] == counts[3] > 0


def test_single_files_have_one_size_for_all_arms_by_the_fullest(
    client: TestClient, device_id: int, publish_image: Factory
) -> None:
    emptier = make_image(publish_image, "emptier", fullness=0.2)
    fuller = make_image(publish_image, "fuller", fullness=0.9)
    sizes = []
    for arms in ((emptier,), (fuller,), (emptier, fuller)):
        trial = started(client, trial_body(device_id, *arms, workloads=[VARMAIL | {"name": "large-file"}]))
        sizes.append(trial["settings"]["workloads"][0]["fit_bytes"])
        end(trial["id"], JobState.CANCELED)
    assert sizes[0] > sizes[1] == sizes[2] > 0


def test_a_number_of_files_that_is_asked_for_is_kept(client: TestClient, device_id: int, image_id: int) -> None:
    trial = started(client, trial_body(device_id, image_id, workloads=[VARMAIL | {"files_count": 123}]))
    assert trial["settings"]["workloads"][0]["files_count"] == 123


def test_the_same_key_starts_one_trial(client: TestClient, device_id: int, image_id: int) -> None:
    body, key = trial_body(device_id, image_id), {"Idempotency-Key": "once"}
    trial = started(client, body, **key)
    assert started(client, body, **key) == trial
    assert len(client.get("/api/v1/trials").json()["items"]) == 1
    answer = client.post("/api/v1/trials", json=body | {"repetitions_count": 5}, headers=key)
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_key_reused")


def test_trials_are_listed_newest_first_with_what_is_done(client: TestClient, device_id: int, image_id: int) -> None:
    ids = []
    for number in range(3):
        ids.append(started(client, trial_body(device_id, image_id, name=f"trial {number}"))["id"])
        end(ids[-1], JobState.CANCELED)
    measured(ids[2], 0, 0, [1.0, 2.0])
    page = client.get("/api/v1/trials", params={"limit": 2}).json()
    assert [(item["id"], item["name"], item["done_count"], item["total_count"]) for item in page["items"]] == [
        (ids[2], "trial 2", 2, 3),
        (ids[1], "trial 1", 0, 3),
    ]
    assert page["items"][0]["arms"] == ["ext4, Agrawal 2007 70 %"]
    assert page["items"][0]["workloads"] == ["find"]
    rest = client.get("/api/v1/trials", params={"limit": 2, "cursor": page["next_cursor"]}).json()
    assert ([item["id"] for item in rest["items"]], rest["next_cursor"]) == ([ids[0]], None)


def test_measurements_come_whole_in_the_order_of_execution(client: TestClient, device_id: int, image_id: int) -> None:
    trial_id = started(client, trial_body(device_id, image_id))["id"]
    measured(trial_id, 0, 0, [1.5, 2.5])
    items = client.get(f"/api/v1/trials/{trial_id}/measurements").json()["items"]
    assert [item["position"] for item in items] == [0, 1, 2]
    assert [item["state"] for item in items] == ["done", "done", "planned"]
    assert items[0]["measurement"]["value"] == 1.5
    assert items[0]["measurement"]["restoration"]["how"] == "restore"
    assert items[2]["measurement"] is None


@pytest.mark.parametrize("path", ["", "/measurements"])
def test_an_unknown_trial_says_so(client: TestClient, run_id: int, path: str) -> None:
    for number in (run_id, 999):
        answer = client.get(f"/api/v1/trials/{number}{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "job_unknown")


def test_the_built_in_workloads_have_a_summary(client: TestClient) -> None:
    items = client.get("/api/v1/workloads").json()["items"]
    names = ["fileserver", "large-file", "postmark", "small-files", "untar", "varmail", "webserver"]
    assert [item["name"] for item in items] == names
    for item in items:
        assert item["summary"].endswith(".")
        assert not item["summary"].startswith("#")
        assert item["personality"]["name"] == item["name"]
        assert item["spec"].startswith("#")


def test_a_specification_is_described_as_it_would_be_scaled(client: TestClient) -> None:
    spec = next(item["spec"] for item in client.get("/api/v1/workloads").json()["items"] if item["name"] == "varmail")
    whole = client.post("/api/v1/workloads/description", json={"spec": spec}).json()
    fitted = client.post("/api/v1/workloads/description", json={"spec": spec, "fit_bytes": 2**24}).json()
    assert whole["scale_fraction"] == 1
    assert fitted["files_count"] < whole["files_count"]
    assert fitted["expected_bytes"] <= 2**24
