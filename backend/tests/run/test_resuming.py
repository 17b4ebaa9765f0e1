"""Interrupted runs resume, automatically and on request."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from patina.db import transaction
from patina.device import lease
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.job import notice
from patina.job.service import AUTOMATIC_RESUMES_COUNT
from patina.job.state import JobState, NoticeKind
from patina.run import resuming
from patina.run.models import Run


@pytest.fixture
def interrupted_id(run_id: int) -> int:
    """Returns a run whose worker has died, and that may resume automatically."""
    with transaction() as session:
        run = session.get_one(Run, run_id)
        run.state = JobState.INTERRUPTED
        lease.release(session=session, lease_id=run.lease_id or 0)
    return run_id


def _set_condition(run_id: int, condition: DeviceCondition, reason: str | None = None) -> int:
    """Sets the condition of the run's device. Returns the id of its host."""
    with transaction() as session:
        device = session.get_one(Device, session.get_one(Run, run_id).device_id)
        device.condition, device.condition_reason = condition, reason
        return device.host_id


def _resume_all(host_id: int) -> list[int]:
    with transaction() as session:
        return resuming.resume_all_interrupted(session=session, host_id=host_id, has_checkpoint=lambda _: True)


def _run(client: TestClient, run_id: int) -> dict[str, Any]:
    run: dict[str, Any] = client.get(f"/api/v1/runs/{run_id}").json()
    return run


def _last_call_for_help(run_id: int) -> str | None:
    with transaction() as session:
        return notice.latest_message(session=session, job_id=run_id, kind=NoticeKind.NEEDS_YOU)


@pytest.mark.parametrize(
    ("condition", "reason"),
    [(DeviceCondition.LOST, "no longer attached"), (DeviceCondition.PROTECTED, "mounted at /mnt")],
)
def test_a_device_that_is_away_for_a_while_costs_the_run_no_try(
    client: TestClient, interrupted_id: int, condition: DeviceCondition, reason: str
) -> None:
    host_id = _set_condition(interrupted_id, condition, reason)
    assert _resume_all(host_id) == _resume_all(host_id) == []
    run = _run(client, interrupted_id)
    assert (run["state"], run["resumes_left_count"]) == ("interrupted", AUTOMATIC_RESUMES_COUNT)
    assert reason in (_last_call_for_help(interrupted_id) or "")

    _set_condition(interrupted_id, DeviceCondition.READY)
    assert _resume_all(host_id) == [interrupted_id]
    run = _run(client, interrupted_id)
    assert (run["state"], run["resumes_left_count"]) == ("queued", AUTOMATIC_RESUMES_COUNT - 1)


def test_a_device_that_is_gone_for_good_ends_the_tries(client: TestClient, interrupted_id: int) -> None:
    host_id = _set_condition(interrupted_id, DeviceCondition.FAILED)
    assert _resume_all(host_id) == []
    assert _run(client, interrupted_id)["resumes_left_count"] == 0


def test_who_says_go_on_takes_back_the_wish_for_a_pause(client: TestClient, run_id: int) -> None:
    with transaction() as session:
        session.get_one(Run, run_id).state = JobState.RUNNING
    assert client.post(f"/api/v1/runs/{run_id}/pause").status_code == 202
    with transaction() as session:
        run = session.get_one(Run, run_id)
        run.state = JobState.INTERRUPTED
        lease.release(session=session, lease_id=run.lease_id or 0)
    assert _run(client, run_id)["pause_requested_at"] is not None

    resumed = client.post(f"/api/v1/runs/{run_id}/resume").json()
    assert (resumed["state"], resumed["pause_requested_at"]) == ("queued", None)
