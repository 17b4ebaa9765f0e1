"""Studies by the real core: results are stored as they arrive, and only what has none is simulated again."""

import signal
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select

from core_script import ScriptedCore, error_line, golden
from observe import payloads_of
from patina.core.contract.shingle import CLEANERS, PLACEMENTS, CapacitySummary, CleaningSummary
from patina.db import transaction
from patina.job import service as job_service
from patina.job.models import Job
from patina.job.state import JobState
from patina.study import service
from patina.study.models import Study, StudyResult
from patina.study.schemas import StudyRead, StudyRequest
from patina_dev.testing.wait import wait_until
from patina_worker.handlers import study as handler
from patina_worker.jobs import lock
from worker_process import WorkerProcess

MIB = 2**20
CAPACITY = {
    "kind": "capacity",
    "policies": ["best", "next"],
    "did_blocks": [16, 64],
    "usable_bytes": 4 * MIB,
    "operations_count": 400,
    "seeds_count": 3,
}
CLEANING = {
    "kind": "cleaning",
    "policies": ["best"],
    "cleaners": list(CLEANERS),
    "fullnesses": [0.5, 0.9],
    "size_bytes": 64 * MIB,
    "band_bytes": 8 * MIB,
    "times": 2,
    "seeds_count": 2,
}


def queued(settings: dict[str, Any]) -> int:
    with transaction() as session:
        create = StudyRequest.model_validate({"settings": settings})
        return service.start_study(session=session, create=create, idempotency_key=None).id


def simulate(study_id: int) -> None:
    from patina_worker import tasks

    tasks.work(study_id)


def study_of(study_id: int) -> StudyRead:
    with transaction() as session:
        return service.read(session=session, study=session.get_one(Study, study_id))


def rows_of(study_id: int) -> list[tuple[int, int, int]]:
    """Returns the id, the cell and the seed of each result, in the order in which they were stored."""
    with transaction() as session:
        statement = select(StudyResult.id, StudyResult.cell, StudyResult.seed).where(StudyResult.study_id == study_id)
        return [(row_id, cell, seed) for row_id, cell, seed in session.execute(statement.order_by(StudyResult.id))]


def again(study_id: int) -> None:
    with transaction() as session:
        job_service.retry(session=session, job_id=study_id)
    simulate(study_id)


def test_capacity_is_simulated_for_each_cell_and_seed(host_id: int) -> None:
    study_id = queued(CAPACITY)
    simulate(study_id)
    simulate(study_id)  # delivered twice
    study = study_of(study_id)
    assert study.state == JobState.SUCCEEDED, study.message
    assert (study.message, study.done_count, study.total_count) == ("Simulated 12 disks", 12, 12)
    assert study.result is not None
    assert (study.result.results_count, study.done, study.total, study.unit) == (12, 12, 12, "results")
    for cell in study.cells:
        assert cell.results_count == 3
        assert cell.figures["over_allocation_fraction"].mean >= 0
        assert cell.figures["total_blocks"].half_width is not None
        free = cell.figures["unusable_blocks"].mean + cell.figures["usable_blocks"].mean
        assert free == pytest.approx(cell.figures["free_blocks"].mean)
    with transaction() as session:
        for row in session.scalars(select(StudyResult).where(StudyResult.study_id == study_id)):
            summary, cell = CapacitySummary.model_validate(row.summary), study.cells[row.cell]
            assert (summary.policy, summary.did_blocks, summary.seed) == (cell.policy, cell.did_blocks, row.seed)
    by_seed = [seed for _, _, seed in sorted(rows_of(study_id))]
    assert by_seed[:2] == [1, 1], "the first seed of each cell comes before the second"


def test_cleaning_is_simulated_on_disks_of_both_interfaces(host_id: int) -> None:
    study_id = queued(CLEANING)
    simulate(study_id)
    study = study_of(study_id)
    assert (study.state, study.done_count) == (JobState.SUCCEEDED, 16), study.message
    with transaction() as session:
        for row in session.scalars(select(StudyResult).where(StudyResult.study_id == study_id)):
            summary, cell = CleaningSummary.model_validate(row.summary), study.cells[row.cell]
            assert (summary.interface, summary.policy, summary.fullness) == (
                cell.interface, cell.policy, cell.fullness,
            )  # fmt: skip
    assert all(cell.full_count in range(3) for cell in study.cells)


@pytest.mark.parametrize("policy", PLACEMENTS)
def test_the_core_knows_every_policy(host_id: int, policy: str) -> None:
    study_id = queued(CAPACITY | {"policies": [policy], "did_blocks": [16], "seeds_count": 1})
    simulate(study_id)
    assert study_of(study_id).state == JobState.SUCCEEDED


def test_an_error_of_the_core_ends_the_study_with_its_message(host_id: int) -> None:
    """No disk of 100 times the files is large enough for so large a DID."""
    study_id = queued(CAPACITY | {"policies": ["best"], "did_blocks": [16, 2**20], "usable_bytes": MIB})
    simulate(study_id)
    study = study_of(study_id)
    assert (study.state, study.error_code) == (JobState.FAILED, "usage")
    assert study.message.startswith("best, DID 1048576, seed 1: a disk of 100 times the usable size is too small")


def held(scripted_core: ScriptedCore) -> None:
    """Makes the core endless, until it is told to stop."""
    script = scripted_core.script("shingle").when_told_to_stop(error_line("canceled", "told to stop"), status=30)
    script.say(golden("shingle_capacity")[0]).hang()


def stop_after_five(study_id: int, scripted_core: ScriptedCore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stops the study once five results are stored. Later cores are endless; undo the patches for real ones."""
    monkeypatch.setattr(handler, "PROCESSES_COUNT", 1)
    stored: list[int] = []
    store = handler._store

    def _store(*what: Any) -> None:
        store(*what)
        stored.append(1)
        if len(stored) == 5:
            held(scripted_core)

    monkeypatch.setattr(handler, "_store", _store)
    with ThreadPoolExecutor(1) as executor:
        working = executor.submit(simulate, study_id)
        wait_until("five results are stored", lambda: len(stored) == 5)
        with transaction() as session:
            assert job_service.stop(session=session, job_id=study_id).state == JobState.CANCELING
        working.result()
    assert (study_of(study_id).state, study_of(study_id).done_count) == (JobState.CANCELED, 5)


def test_a_study_that_is_stopped_keeps_its_results_and_goes_on_with_the_rest(
    host_id: int, scripted_core: ScriptedCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_id = queued(CAPACITY)
    stop_after_five(study_id, scripted_core, monkeypatch)
    kept = rows_of(study_id)
    monkeypatch.undo()
    again(study_id)
    assert (study_of(study_id).state, study_of(study_id).done_count) == (JobState.SUCCEEDED, 12)
    assert rows_of(study_id)[:5] == kept


def test_a_study_ends_with_its_worker_and_goes_on_by_itself(
    host_id: int, scripted_core: ScriptedCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_id = queued(CAPACITY)
    held(scripted_core)
    monkeypatch.setattr("patina_worker.stopping.is_announced", lambda: True)
    simulate(study_id)
    assert (study_of(study_id).state, study_of(study_id).done_count) == (JobState.INTERRUPTED, 0)
    monkeypatch.undo()
    with transaction() as session:
        assert job_service.resume_interrupted(session=session, host_id=host_id) == [study_id]
    assert study_of(study_id).resumes_left_count == 2
    simulate(study_id)
    study = study_of(study_id)
    assert (study.state, study.done_count, study.resumes_left_count) == (JobState.SUCCEEDED, 12, 3)


def test_a_study_whose_worker_is_killed_loses_no_result_and_is_completed_by_the_next_one(
    worker: WorkerProcess, host_id: int, scripted_core: ScriptedCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_id = queued(CAPACITY)
    stop_after_five(study_id, scripted_core, monkeypatch)
    kept = rows_of(study_id)
    monkeypatch.undo()
    worker.environment["PATINA_CORE"] = str(scripted_core.path)
    worker.start()
    with transaction() as session:
        job_service.retry(session=session, job_id=study_id)
    wait_until("it simulates again", lambda: study_of(study_id).phase == "simulate")
    worker.end(signal.SIGKILL)
    assert study_of(study_id).state == JobState.RUNNING
    del worker.environment["PATINA_CORE"]
    worker.start()
    wait_until("it has gone on to its end", lambda: study_of(study_id).state == JobState.SUCCEEDED)
    assert (rows_of(study_id)[:5], study_of(study_id).done_count) == (kept, 12)
    said = [str(payload.get("message")) for payload in payloads_of(study_id)]
    assert any("The results so far are kept" in message for message in said)
    worker.end(signal.SIGTERM)


def test_studies_of_a_host_share_its_processes(
    host_id: int, scripted_core: ScriptedCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are taken by another study: this one waits, and can be stopped."""
    monkeypatch.setattr(handler, "PROCESSES_COUNT", 1)
    study_id = queued(CAPACITY)
    with lock.held(0, file_name=handler.PROCESSES_LOCK) as taken, ThreadPoolExecutor(1) as executor:
        assert taken is not None
        working = executor.submit(simulate, study_id)
        wait_until("it waits", lambda: study_of(study_id).message == "Simulating 12 disks")
        with transaction() as session:
            job_service.stop(session=session, job_id=study_id)
        working.result()
    assert (study_of(study_id).state, study_of(study_id).done_count) == (JobState.CANCELED, 0)
    again(study_id)
    assert study_of(study_id).state == JobState.SUCCEEDED


def test_settings_that_are_none_end_it(host_id: int) -> None:
    study_id = queued(CAPACITY)
    with transaction() as session:
        session.get_one(Study, study_id).settings = {"kind": "speed"}
    simulate(study_id)
    with transaction() as session:
        job = session.get_one(Job, study_id)
        assert (job.state, job.error_code) == (JobState.FAILED, "internal")
