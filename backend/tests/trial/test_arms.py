"""The names of arms: groups, states and bases, by how their images were made."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from host_rows import REPORT
from patina.db import transaction
from patina.device.emulation import Emulation
from patina.host import service as host_service
from patina.image.models import Image, Origin
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run
from patina.trial.arms import image_of_run
from run_rows import stored_run
from trial_rows import EXPORTED, GIB, IMPORTED, intake, make_image, trial_body

Factory = Callable[..., int]
AGED = "Agrawal 2007 70 %"


@pytest.fixture
def device_id(make_device: Factory) -> int:
    return make_device()


def post(client: TestClient, device_id: int, *arms: dict[str, Any], **changes: Any) -> dict[str, Any]:
    answer = client.post("/api/v1/trials", json=trial_body(device_id, arms=list(arms), **changes))
    trial: dict[str, Any] = answer.json()
    return trial


def names(trial: dict[str, Any]) -> list[tuple[str, str, bool]]:
    assert "settings" in trial, trial
    return [(arm["group"], arm["state"], arm["is_base"]) for arm in trial["settings"]["arms"]]


def make_run(device_id: int, **changes: Any) -> int:
    with transaction() as session:
        return stored_run(session=session, device_id=device_id, **changes).id


@pytest.mark.parametrize(
    ("image", "state", "is_base"),
    [
        ({}, AGED, False),
        ({"fullness": 0.7123}, AGED, False),  # achieved; 0.7 was the goal
        ({"recipe": {"survivors": True}}, "unaged", True),
        ({"recipe": {"workload": "fsfb"}, "profile_version": None}, "fsfb 70 %", False),
        ({"recipe": {"fullness": None}, "fullness": 0.512}, "Agrawal 2007 51 %", False),
        (IMPORTED | {"intake": intake("unaged")}, "unaged", True),
        (IMPORTED | {"intake": intake("foreign")}, "imported", False),
        (EXPORTED, "agrawal 70 %", False),
    ],
)
def test_a_state_says_how_the_image_was_made(
    client: TestClient, device_id: int, publish_image: Factory, image: dict[str, Any], state: str, is_base: bool
) -> None:
    trial = post(client, device_id, {"image_id": make_image(publish_image, **image)})
    assert names(trial) == [("ext4", state, is_base)]


def test_an_image_captured_after_a_trial_is_not_unaged(
    client: TestClient, device_id: int, publish_image: Factory
) -> None:
    twin = make_image(publish_image, "twin", recipe={"survivors": True})
    child = make_image(publish_image, "child", recipe={"survivors": True}, parent_id=twin, origin=Origin.TRIAL)
    trial = post(client, device_id, {"image_id": child}, {"image_id": twin})
    assert names(trial) == [("ext4", "unaged after a trial", False), ("ext4", "unaged", True)]


def test_the_base_of_a_group_is_the_one_given_or_the_first_unaged(
    client: TestClient, device_id: int, publish_image: Factory
) -> None:
    aged = make_image(publish_image)
    one, two = (make_image(publish_image, name, recipe={"survivors": True}) for name in ("one", "two"))
    xfs = make_image(publish_image, "xfs", file_system="xfs", recipe={"survivors": True})
    arms = [{"image_id": each} for each in (aged, one, two, xfs)]
    assert [arm[2] for arm in names(post(client, device_id, *arms))] == [False, True, False, True]
    client.post("/api/v1/jobs/" + str(client.get("/api/v1/trials").json()["items"][0]["id"]) + "/stop")
    arms[0]["is_base"] = True
    assert [arm[2] for arm in names(post(client, device_id, *arms))] == [True, False, False, True]
    client.post("/api/v1/jobs/" + str(client.get("/api/v1/trials").json()["items"][0]["id"]) + "/stop")
    arms[0].pop("is_base")
    arms[1]["is_base"] = False
    assert [arm[2] for arm in names(post(client, device_id, *arms))] == [False, False, True, True]


def test_names_that_are_given_are_kept_and_none_is_there_twice(
    client: TestClient, device_id: int, publish_image: Factory
) -> None:
    aged, other = make_image(publish_image), make_image(publish_image, "other")
    arms: list[dict[str, Any]] = [
        {"image_id": aged},
        {"image_id": other},
        {"image_id": aged},
        {"image_id": aged},
        {"image_id": aged, "has_journal": False},
        {"image_id": aged, "group": "mine", "state": "of 2026"},
        {"image_id": aged, "group": "mine", "state": "s" * 80},
        {"image_id": other, "group": "mine", "state": "s" * 80},
    ]
    assert [arm[:2] for arm in names(post(client, device_id, *arms))] == [
        ("ext4", AGED),
        ("ext4", f"{AGED} (other)"),
        ("ext4", f"{AGED} (aged)"),
        ("ext4", f"{AGED} (aged, 2)"),
        ("ext4 without journal", AGED),
        ("mine", "of 2026"),
        ("mine", "s" * 80),
        ("mine", "s" * 72 + " (other)"),
    ]


def test_a_trial_of_an_open_run_waits_for_it_even_if_its_device_is_free(
    client: TestClient, device_id: int, make_device: Factory, publish_image: Factory
) -> None:
    replay: dict[str, Any] = {"workload": "replay", "survivors": True, "replay_of": 1, "fullness": None}
    twin_id = make_run(
        make_device("sandbox-2"), **replay, profile=None, profile_version_number=None, profile_version=None
    )
    open_id = make_run(make_device("sandbox-3"), state=JobState.INTERRUPTED, fullness=0.5)
    trial = post(client, device_id, {"run_id": twin_id}, {"run_id": open_id}, {"image_id": make_image(publish_image)})
    assert names(trial) == [("ext4", "unaged", True), ("ext4", "Agrawal 2007 50 %", False), ("ext4", AGED, False)]
    assert (trial["state"], trial["is_waiting"]) == ("queued", True)
    assert trial["message"] == f"Waits until runs {twin_id}, {open_id} have ended"
    assert trial["device"]["active_lease"] is None
    assert {row["image"] is None for row in trial["repetitions"] if row["arm"] < 2} == {True}


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        ({"state": JobState.FAILED, "error_code": "no_space"}, "run_made_no_image", "failed and made no image"),
        ({"state": JobState.CANCELED}, "run_made_no_image", "canceled and made no image"),
        ({"state": JobState.SUCCEEDED}, "run_made_no_image", "has ended. Choose its image"),
        ({"file_system": "f2fs"}, "not_measurable", "this host's kernel lacks f2fs"),
        ({"capture_mode": "metadata"}, "not_measurable", "captures metadata only"),
        ({"data_mode": "fallocate"}, "trial_needs_data", "grep would read nothing"),
    ],
)
def test_a_run_that_makes_no_image_to_measure_is_refused(
    client: TestClient, device_id: int, make_device: Factory, changes: dict[str, Any], code: str, said: str
) -> None:
    run_id = make_run(make_device("sandbox-2"), **{"data_mode": "write"} | changes)
    answer = post(client, device_id, {"run_id": run_id}, workloads=[{"kind": "grep"}])
    assert (answer["status"], answer["code"]) == (409, code)
    assert f"{run_id}" in answer["detail"]
    assert said in answer["detail"]


def test_an_emulated_disk_measures_images_without_contents(
    client: TestClient, make_device: Factory, publish_image: Factory
) -> None:
    emulation = Emulation(available_bytes=GIB, model_label=None).model_dump(mode="json")
    run_id = make_run(make_device("sandbox-2"), capture_mode="metadata", data_mode="write")
    image_id = make_image(publish_image, mode="metadata")
    assert post(client, make_device(), {"image_id": image_id})["code"] == "not_measurable"
    disk_id = make_device("sandbox-3", emulation=emulation)
    body = trial_body(disk_id, arms=[{"run_id": run_id}, {"image_id": image_id}])
    body["confirmation"]["stable_id"] = "sandbox-3"
    body["workloads"] = [{"kind": "grep"}]  # its data is generated
    trial = client.post("/api/v1/trials", json=body).json()
    assert names(trial) == [("ext4", "Agrawal 2007 70 %", False), ("ext4", f"{AGED} (aged)", False)]


def test_a_run_elsewhere_or_on_a_larger_device_is_refused(
    client: TestClient, device_id: int, make_device: Factory
) -> None:
    with transaction() as session:
        other = host_service.heartbeat(session=session, name="other", report=REPORT).id
    for device, said in (
        (make_device("far", host_id=other), "is on host other"),
        (make_device("large", size_bytes=2 * GIB), "will be larger"),
    ):
        answer = post(client, device_id, {"run_id": make_run(device)})
        assert (answer["status"], answer["code"]) == (409, "not_measurable")
        assert said in answer["detail"]
    assert post(client, device_id, {"run_id": 999})["code"] == "job_unknown"


def test_the_image_of_a_run_is_none_once_it_is_deleted(client: TestClient, publish_image: Factory) -> None:
    image_id = make_image(publish_image)
    with transaction() as session:
        run_id = session.get_one(Image, image_id).run_id or 0
        assert image_of_run(session, run_id) is None
        session.execute(update(Job).where(Job.id == run_id).values(result={"image_id": image_id}))
    with transaction() as session:
        found = image_of_run(session, run_id)
        assert found is not None
        assert (found.id, session.get_one(Run, run_id).state) == (image_id, JobState.SUCCEEDED)
        found.deleted_at = datetime.now(UTC)
        session.flush()
        assert image_of_run(session, run_id) is None
