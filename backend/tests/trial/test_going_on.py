"""Trials that go on: tried again, resumed by themselves, and the images that they need meanwhile."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from patina.db import transaction
from patina.device import lease
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.job import service as job_service
from patina.job import waiting
from patina.job.models import Job
from patina.job.service import AUTOMATIC_RESUMES_COUNT
from patina.job.state import JobState
from run_requests import run_body
from run_rows import end as end_run
from run_rows import running_run
from trial_rows import end, make_image, trial_body

Factory = Callable[..., int]


@pytest.fixture
def image_id(publish_image: Factory) -> int:
    return make_image(publish_image)


@pytest.fixture
def device_id(make_device: Factory) -> int:
    return make_device()


@pytest.fixture
def trial_id(client: TestClient, device_id: int, image_id: int) -> int:
    answer = client.post("/api/v1/trials", json=trial_body(device_id, image_id))
    assert answer.status_code == 202, answer.text
    identity: int = answer.json()["id"]
    return identity


def resumed(host_id: int) -> list[int]:
    with transaction() as session:
        return job_service.resume_interrupted(session=session, host_id=host_id)


def left_count(trial_id: int) -> int:
    with transaction() as session:
        return session.get_one(Job, trial_id).resumes_left_count


def set_condition(device_id: int, condition: DeviceCondition) -> None:
    with transaction() as session:
        session.get_one(Device, device_id).condition = condition


@pytest.mark.parametrize("state", [JobState.FAILED, JobState.CANCELED, JobState.INTERRUPTED])
def test_a_trial_that_is_tried_again_takes_its_device(
    client: TestClient, device_id: int, trial_id: int, state: JobState
) -> None:
    end(trial_id, state, resumes_left_count=0)
    answer = client.post(f"/api/v1/jobs/{trial_id}/retry")
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    trial = client.get(f"/api/v1/trials/{trial_id}").json()
    assert (trial["device"]["active_lease"]["holder"], trial["error_code"]) == (f"trial {trial_id}", None)
    assert left_count(trial_id) == AUTOMATIC_RESUMES_COUNT


def test_a_trial_is_not_tried_again_on_a_busy_device(client: TestClient, device_id: int, trial_id: int) -> None:
    end(trial_id, JobState.FAILED)
    typed = {"confirmation": trial_body(device_id)["confirmation"]}
    run_id = client.post("/api/v1/runs", json=run_body(device_id) | typed).json()["id"]
    answer = client.post(f"/api/v1/jobs/{trial_id}/retry")
    assert (answer.status_code, answer.json()["code"]) == (409, "device_busy")
    assert f"run {run_id}" in answer.json()["detail"]
    assert client.get(f"/api/v1/trials/{trial_id}").json()["state"] == "failed"


def test_a_trial_that_succeeded_is_not_tried_again(client: TestClient, trial_id: int) -> None:
    end(trial_id, JobState.SUCCEEDED)
    answer = client.post(f"/api/v1/jobs/{trial_id}/retry")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_retriable")


def test_a_trial_that_is_tried_again_waits_for_its_run_as_before(
    client: TestClient, device_id: int, make_device: Factory, host_id: int
) -> None:
    run_id = running_run(make_device("sandbox-2"))
    trial_id = client.post("/api/v1/trials", json=trial_body(device_id, arms=[{"run_id": run_id}])).json()["id"]
    with transaction() as session:
        assert waiting.start_waiting(session=session, host_id=host_id) == []
    assert client.post(f"/api/v1/jobs/{trial_id}/stop").json()["state"] == "canceled"
    assert client.post(f"/api/v1/jobs/{trial_id}/retry").json()["state"] == "queued"
    assert client.get(f"/api/v1/trials/{trial_id}").json()["is_waiting"]
    end_run(run_id)
    with transaction() as session:
        assert waiting.start_waiting(session=session, host_id=host_id) == [trial_id]
    assert not client.get(f"/api/v1/trials/{trial_id}").json()["is_waiting"]


def test_an_interrupted_trial_goes_on_by_itself_so_many_times(client: TestClient, host_id: int, trial_id: int) -> None:
    for left in reversed(range(AUTOMATIC_RESUMES_COUNT)):
        end(trial_id, JobState.INTERRUPTED)
        assert resumed(host_id) == [trial_id]
        trial = client.get(f"/api/v1/trials/{trial_id}").json()
        assert (trial["state"], trial["device"]["active_lease"]["holder"]) == ("queued", f"trial {trial_id}")
        assert left_count(trial_id) == left
    end(trial_id, JobState.INTERRUPTED)
    assert resumed(host_id) == []
    assert client.get(f"/api/v1/trials/{trial_id}").json()["state"] == "interrupted"


def test_only_interrupted_trials_of_the_host_go_on(host_id: int, trial_id: int) -> None:
    end(trial_id, JobState.FAILED)
    assert resumed(host_id) == []
    end(trial_id, JobState.INTERRUPTED, error_code=None)
    assert resumed(host_id + 1) == []
    assert resumed(host_id) == [trial_id]


@pytest.mark.parametrize("condition", [DeviceCondition.LOST, DeviceCondition.PROTECTED, DeviceCondition.FAILED])
def test_a_device_that_is_not_ready_costs_no_try(
    host_id: int, device_id: int, trial_id: int, condition: DeviceCondition
) -> None:
    end(trial_id, JobState.INTERRUPTED)
    set_condition(device_id, condition)
    assert resumed(host_id) == resumed(host_id) == []
    assert left_count(trial_id) == AUTOMATIC_RESUMES_COUNT
    set_condition(device_id, DeviceCondition.READY)
    assert resumed(host_id) == [trial_id]


def test_a_busy_device_costs_no_try(host_id: int, device_id: int, trial_id: int) -> None:
    end(trial_id, JobState.INTERRUPTED)
    with transaction() as session:
        held = lease.acquire(session=session, device=session.get_one(Device, device_id), holder="another").id
    assert resumed(host_id) == []
    assert left_count(trial_id) == AUTOMATIC_RESUMES_COUNT
    with transaction() as session:
        lease.release(session=session, lease_id=held)
    assert resumed(host_id) == [trial_id]


def test_the_image_of_an_open_trial_is_not_deleted(client: TestClient, image_id: int, trial_id: int) -> None:
    for state in (JobState.QUEUED, JobState.INTERRUPTED):
        end(trial_id, state)
        answer = client.delete(f"/api/v1/images/{image_id}")
        assert (answer.status_code, answer.json()["code"]) == (409, "image_in_use")
        assert f"trial {trial_id}" in answer.json()["detail"]
    end(trial_id, JobState.SUCCEEDED)
    assert client.delete(f"/api/v1/images/{image_id}").is_success
    assert client.get(f"/api/v1/trials/{trial_id}").json()["repetitions"][0]["image"]["id"] == image_id
