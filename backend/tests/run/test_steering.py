"""Steering of a run: requests, and the states that allow them."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from lock_waits import waiting_count
from patina.core.contract.phase import Phase
from patina.db import transaction
from patina.device import lease
from patina.device.models import Lease
from patina.job.models import Job
from patina.job.state import JobState
from patina.run import resuming
from patina.run.models import Run
from patina_dev.testing.wait import HANG_S, wait_until


def _put(run_id: int, state: JobState, phase: Phase | None = Phase.STABLE) -> None:
    with transaction() as session:
        session.execute(update(Job).where(Job.id == run_id).values(state=state, phase=phase))


def test_a_pause_is_a_wish_that_can_be_taken_back(client: TestClient, run_id: int) -> None:
    _put(run_id, JobState.RUNNING)
    first = client.post(f"/api/v1/runs/{run_id}/pause")
    assert (first.status_code, first.json()["state"]) == (202, "running")
    asked_at = first.json()["pause_requested_at"]
    assert asked_at is not None
    assert client.post(f"/api/v1/runs/{run_id}/pause").json()["pause_requested_at"] == asked_at
    assert client.post(f"/api/v1/runs/{run_id}/resume").json()["pause_requested_at"] is None


def test_stop_conditions_are_asked_for_whole(client: TestClient, run_id: int) -> None:
    _put(run_id, JobState.PAUSED)
    asked = {"max_rmse": 0.02, "max_overwrites": None, "max_seconds": 60.0}
    run = client.put(f"/api/v1/runs/{run_id}/stop_conditions", json=asked).json()
    assert run["asked_conditions"] == asked
    assert run["max_rmse"] is None


@pytest.mark.parametrize(
    ("conditions", "status", "code"),
    [
        ({"max_rmse": 0.1, "max_overwrites": 2}, 422, "request_invalid"),
        ({"max_rmse": 0}, 422, "request_invalid"),
        ({"max_seconds": -1}, 422, "request_invalid"),
        ({"max_ops": 5}, 422, "request_invalid"),
    ],
)
def test_stop_conditions_that_mean_nothing_are_refused(
    client: TestClient, run_id: int, conditions: dict[str, float], status: int, code: str
) -> None:
    _put(run_id, JobState.RUNNING)
    answer = client.put(f"/api/v1/runs/{run_id}/stop_conditions", json=conditions)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert client.get(f"/api/v1/runs/{run_id}").json()["asked_conditions"] is None


_ASKED = [("post", "pause", None), ("post", "resume", None), ("put", "stop_conditions", {"max_rmse": 0.02})]


@pytest.mark.parametrize(("method", "verb", "body"), _ASKED)
@pytest.mark.parametrize("state", [JobState.QUEUED, JobState.CANCELING, JobState.SUCCEEDED])
def test_a_run_that_does_not_age_cannot_be_steered(
    client: TestClient, run_id: int, state: JobState, method: str, verb: str, body: dict[str, float] | None
) -> None:
    _put(run_id, state, None)
    answer = client.request(method, f"/api/v1/runs/{run_id}/{verb}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (409, "state_conflict")
    assert state in answer.json()["detail"]


@pytest.mark.parametrize(("method", "verb", "body"), _ASKED)
def test_a_run_that_is_captured_cannot_be_steered(
    client: TestClient, run_id: int, method: str, verb: str, body: dict[str, float] | None
) -> None:
    _put(run_id, JobState.RUNNING, Phase.CAPTURE)
    answer = client.request(method, f"/api/v1/runs/{run_id}/{verb}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (409, "too_late_to_steer")


def test_a_paused_run_is_told_to_stop(client: TestClient, run_id: int) -> None:
    _put(run_id, JobState.PAUSED)
    run = client.post(f"/api/v1/jobs/{run_id}/stop").json()
    assert run["state"] == "canceling"
    assert run["stop_requested_at"] is not None


def test_a_note_is_kept_in_every_state_of_the_run(client: TestClient, run_id: int) -> None:
    _put(run_id, JobState.SUCCEEDED)
    run = client.patch(f"/api/v1/runs/{run_id}", json={"note": " for the **paper** "}).json()
    assert run["note"] == "for the **paper**"
    answer = client.patch(f"/api/v1/runs/{run_id}", json={"note": "x" * 20_001})
    assert answer.status_code == 422


def test_who_asks_that_a_run_goes_on_while_it_does_so_by_itself_is_not_refused(
    client: TestClient, run_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction() as session:
        lease.release(session=session, lease_id=session.get_one(Run, run_id).lease_id or 0)
        session.execute(update(Job).where(Job.id == run_id).values(state=JobState.INTERRUPTED))
    check_untouched, is_held = resuming._check_untouched, threading.Event()

    def _check_slowly(session: Session, run: Run, held: Lease) -> None:
        is_held.set()  # the worker has the lease, but not the run's row yet
        wait_until("the request waits for the lease", waiting_count)
        check_untouched(session, run, held)

    def _resume_by_itself() -> list[int]:
        with transaction() as session:
            host_id = session.get_one(Run, run_id).device.host_id
            return resuming.resume_all_interrupted(session=session, host_id=host_id, has_checkpoint=lambda _: True)

    with ThreadPoolExecutor(1) as threads:
        monkeypatch.setattr(resuming, "_check_untouched", _check_slowly)
        worker = threads.submit(_resume_by_itself)
        assert is_held.wait(HANG_S)
        monkeypatch.setattr(resuming, "_check_untouched", check_untouched)
        answer = client.post(f"/api/v1/runs/{run_id}/resume")
        assert worker.result() == [run_id]
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    assert answer.json()["device"]["active_lease"]["holder"] == f"run {run_id}"
