"""Workloads instead of a profile: combinations of settings, and which operation log can be replayed where."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from host_rows import REPORT
from patina.core.contract.phase import Phase
from patina.db import transaction
from patina.host import service as host_service
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run
from run_requests import run_body
from run_rows import stored_run

MIB = 2**20
DeviceFactory = Callable[..., int]
FSFB = {"profile": None, "workload": "fsfb", "fullness": 0.6}


def _recorded(device_id: int, *, live_bytes: int = 10 * MIB, operation_log_bytes: int | None = 4096) -> int:
    """Makes an ended run that kept its operation log."""
    with transaction() as session:
        run = stored_run(
            session=session,
            device_id=device_id,
            profile_version=None,
            profile=None,
            profile_version_number=None,
            workload="fsfb",
            state=JobState.SUCCEEDED,
            summary={"live_bytes": live_bytes},
            operation_log_bytes=operation_log_bytes,
        )
        return run.id


def _replay_of(run_id: int) -> dict[str, object]:
    return {"profile": None, "workload": "replay", "replay_of": run_id, "fullness": None}


@pytest.mark.parametrize(
    ("change", "settings"),
    [
        (FSFB, {"rounds_count": 500, "ops_count": None}),
        (FSFB | {"rounds_count": 0}, {"rounds_count": 0}),
        (FSFB | {"workload": "churn"}, {"rounds_count": None, "ops_count": 100_000}),
    ],
)
def test_a_workload_is_queued_with_its_own_settings(
    client: TestClient, make_device: DeviceFactory, change: dict[str, object], settings: dict[str, object]
) -> None:
    answer = client.post("/api/v1/runs", json=run_body(make_device()) | change)
    assert answer.status_code == 202, answer.json()
    run = client.get(f"/api/v1/runs/{answer.json()['id']}").json()
    (item,) = client.get("/api/v1/runs").json()["items"]
    for said in (run, item):
        assert (said["profile"], said["workload"], said["fullness"]) == (None, change["workload"], 0.6)
        assert settings.items() <= said.items()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"workload": "fsfb"}, "one of the two"),
        ({"profile": None}, "one of the two"),
        (FSFB | {"fullness": None}, "needs a fullness"),
        (FSFB | {"ops_count": 5}, "ops_count is a setting of the workload churn"),
        (FSFB | {"workload": "churn", "rounds_count": 5}, "rounds_count is a setting of the workload fsfb"),
        ({"rounds_count": 0}, "rounds_count is a setting of the workload fsfb"),
        (FSFB | {"workload": "churn", "rounds_count": 0}, "rounds_count is a setting of the workload fsfb"),
        (FSFB | {"profile_version_number": 1}, "profile_version_number: a setting of a profile"),
        (FSFB | {"survivors": True}, "survivors is a setting of the workload replay"),
        (FSFB | {"replay_of": 1}, "replay_of is a setting of the workload replay"),
        (FSFB | {"workload": "replay"}, "a replay has the fullness of its log"),
        (FSFB | {"workload": "replay", "fullness": None}, "belong together"),
        (FSFB | {"append_fraction": 0.1}, "append_fraction: settings of a profile"),
        (FSFB | {"max_rmse": 0.1, "fullness_of": "statfs"}, "fullness_of, max_rmse: settings of a profile"),
    ],
)
def test_settings_that_do_not_belong_together_are_refused_by_name(
    client: TestClient, make_device: DeviceFactory, change: dict[str, object], words: str
) -> None:
    answer = client.post("/api/v1/runs", json=run_body(make_device()) | change)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
    assert words in answer.text


def test_a_replay_needs_a_log_on_the_host_of_the_device_and_room_for_its_files(
    client: TestClient, make_device: DeviceFactory
) -> None:
    recorded = _recorded(make_device("sandbox-recorded"))
    device_id = make_device()
    started = client.post("/api/v1/runs", json=run_body(device_id) | _replay_of(recorded))
    assert started.status_code == 202, started.json()
    assert (started.json()["replay_of"], started.json()["fullness"]) == (recorded, None)
    listed = client.get("/api/v1/runs", params={"log_of_host_id": 1}).json()["items"]
    assert [(run["id"], run["operation_log_bytes"]) for run in listed] == [(recorded, 4096)]

    def _refusal(run_id: int) -> tuple[str, str]:
        other = make_device(f"sandbox-of-{run_id}")
        confirmation = {"stable_id": f"sandbox-of-{run_id}", "size_bytes": 2**30}
        answer = client.post("/api/v1/runs", json=run_body(other, confirmation=confirmation) | _replay_of(run_id))
        assert answer.status_code == 409
        assert client.get(f"/api/v1/devices/{other}").json()["state"] == "available"
        return answer.json()["code"], answer.json()["detail"]

    assert _refusal(999)[0] == "operation_log_missing"
    without = _recorded(make_device("sandbox-without"), operation_log_bytes=None)
    assert _refusal(without) == (
        "operation_log_missing",
        f"There is no operation log of run {without}. Choose a run that kept its log, or age again and keep it.",
    )
    large = _recorded(make_device("sandbox-large"), live_bytes=2**30)
    assert _refusal(large)[0] == "replay_too_large"
    with transaction() as session:
        elsewhere = host_service.heartbeat(session=session, name="elsewhere", report=REPORT).id
        session.execute(update(Job).where(Job.id == recorded).values(host_id=elsewhere))
    code, detail = _refusal(recorded)
    assert code == "operation_log_missing"
    assert "is on host elsewhere" in detail


def test_a_workload_takes_a_time_limit_and_no_budget(client: TestClient, make_device: DeviceFactory) -> None:
    run_id = client.post("/api/v1/runs", json=run_body(make_device()) | FSFB).json()["id"]
    with transaction() as session:
        session.execute(update(Job).where(Job.id == run_id).values(state=JobState.RUNNING, phase=Phase.STABLE))
    path = f"/api/v1/runs/{run_id}/stop_conditions"
    assert client.put(path, json={"max_seconds": 60.0}).json()["asked_conditions"]["max_seconds"] == 60.0
    answer = client.put(path, json={"max_rmse": 0.1})
    assert (answer.status_code, answer.json()["code"]) == (409, "workload_has_no_budget")


def test_a_workload_that_has_ended_cannot_be_extended(client: TestClient, make_device: DeviceFactory) -> None:
    run_id = _recorded(make_device())
    with transaction() as session:
        device = session.get_one(Run, run_id).device
        confirmation = {"stable_id": device.stable_id, "size_bytes": device.size_bytes}
    answer = client.post(f"/api/v1/runs/{run_id}/extend", json={"confirmation": confirmation})
    assert (answer.status_code, answer.json()["code"]) == (409, "not_extendable")
    assert "has no horizon" in answer.json()["detail"]
