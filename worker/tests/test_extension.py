"""Extensions: finished runs aged further, on the device that holds their image."""

import pytest
from sqlalchemy import select

from fixture_types import MIB, AgeHere, MakeSandbox, StartRun
from gates import Gates
from observe import assert_device_is_free, device_of, payloads_of, run_of, wait_for_end
from patina.db import transaction
from patina.delta import service as delta_service
from patina.image.models import Image
from patina.job import service as job_service
from patina.job.journal import StateConflict
from patina.job.service import IdempotencyKeyReused
from patina.job.state import JobState
from patina.run.schemas import Confirmation, ExtensionCreate
from patina.use_case import extend_run as extension_service
from patina.use_case.extend_run import NotExtendable, NothingToExtend
from patina_worker.host import checkpoint
from power_cut import cut_power
from worker_process import WorkerProcess


@pytest.fixture
def coarse_id(make_sandbox: MakeSandbox, start_run: StartRun) -> int:
    """Returns a run that ended at a coarse accuracy."""
    run_id = start_run(make_sandbox(64 * MIB), "steady", max_rmse=0.2)
    _age(run_id)
    assert (run_of(run_id).state, run_of(run_id).stop_reason) == (JobState.SUCCEEDED, "accuracy_reached")
    return run_id


def _age(run_id: int) -> None:
    from patina_worker import tasks

    tasks.work(run_id)


def _extend(run_id: int, *, key: str | None = None, **conditions: float) -> int:
    device = device_of(run_of(run_id).device_id)
    confirmation = Confirmation(stable_id=device.stable_id, size_bytes=device.size_bytes, typed=device.path)
    create = ExtensionCreate.model_validate({"confirmation": confirmation, **conditions})
    with transaction() as session:
        return extension_service.extend_run(session=session, run_id=run_id, create=create, idempotency_key=key).id


def _ops_count(run_id: int) -> int:
    summary = run_of(run_id).summary
    assert summary is not None
    return int(summary["ops_count"])


def test_an_extended_run_goes_on_where_the_other_ended_and_makes_an_image_of_its_own(coarse_id: int) -> None:
    extended_id = _extend(coarse_id, key="once")
    assert _extend(coarse_id, key="once") == extended_id
    _age(extended_id)

    run = run_of(extended_id)
    assert (run.state, run.stop_reason) == (JobState.SUCCEEDED, "converged"), (run.message, run.error_log)
    samples = [payload for payload in payloads_of(extended_id) if payload["type"] == "sample"]
    assert all(sample["ops_count"] >= _ops_count(coarse_id) for sample in samples)  # type: ignore[operator]
    assert run.recipe is not None
    assert run.recipe["legs"][0]["until_ops_count"] == _ops_count(coarse_id)
    assert run.recipe["max_rmse"] is None
    with transaction() as session:
        assert session.scalars(select(Image.run_id).order_by(Image.id)).all() == [coarse_id, extended_id]
    assert run_of(coarse_id).stop_reason == "accuracy_reached"
    assert_device_is_free(run.device_id)

    checkpoint.tidy()
    assert [checkpoint.file_of(run_id).exists() for run_id in (coarse_id, extended_id)] == [False, True]


def test_a_run_that_has_converged_is_aged_further_to_a_number_of_operations(coarse_id: int) -> None:
    converged_id = _extend(coarse_id)
    _age(converged_id)
    assert run_of(converged_id).stop_reason == "converged"
    with pytest.raises(NothingToExtend, match="has converged: no stop condition makes it longer"):
        _extend(converged_id, max_overwrites=1000)
    with pytest.raises(NothingToExtend, match="Ask for a larger number of operations"):
        _extend(converged_id, exact_ops_count=_ops_count(converged_id))
    more_id = _extend(converged_id, exact_ops_count=_ops_count(converged_id) + 500)
    _age(more_id)
    run = run_of(more_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    assert _ops_count(more_id) == _ops_count(converged_id) + 500
    assert run.stop_reason == "completed"
    assert run.recipe is not None
    assert run.recipe["exact_ops_count"] == _ops_count(more_id)
    assert run.recipe["legs"][-1]["until_ops_count"] == _ops_count(converged_id)
    assert_device_is_free(run.device_id)


def test_what_adds_nothing_or_is_not_finished_is_refused(coarse_id: int) -> None:
    with pytest.raises(NothingToExtend) as nothing:
        _extend(coarse_id, max_rmse=0.3)
    assert nothing.value.code == "nothing_to_extend"
    queued_id = _extend(coarse_id, key="once")
    with pytest.raises(IdempotencyKeyReused):
        _extend(coarse_id, key="once", max_rmse=0.01)
    with pytest.raises(StateConflict, match="only one that has succeeded"):
        _extend(queued_id)


def test_a_device_that_may_hold_something_else_is_not_aged_further(coarse_id: int) -> None:
    device_id = run_of(coarse_id).device_id
    with transaction() as session:
        holding = delta_service.require_held(session=session, device_id=device_id)
        delta_service.expect(session=session, holding=holding, file_name="a-trial")
    with pytest.raises(NotExtendable, match="Roll it back"):
        _extend(coarse_id)
    with transaction() as session:
        delta_service.forget(session=session, device_id=device_id)
    with pytest.raises(NotExtendable, match="Restore its image") as refused:
        _extend(coarse_id)
    assert refused.value.code == "not_extendable"


def _failure_of(run_id: int) -> str | None:
    _age(run_id)
    run = run_of(run_id)
    assert run.state == JobState.FAILED
    assert_device_is_free(run.device_id)
    return run.error_code


def test_a_byte_written_since_is_found_before_anything_is_aged(coarse_id: int) -> None:
    extended_id = _extend(coarse_id)
    with open(device_of(run_of(coarse_id).device_id).path or "", "r+b") as node:
        node.seek(-4096, 2)
        node.write(b"x")
    assert _failure_of(extended_id) == "verify_mismatch"


def test_an_extension_is_canceled_while_the_device_is_compared(coarse_id: int, age_here: AgeHere, gates: Gates) -> None:
    extended_id = _extend(coarse_id)
    gate = gates.close("verify.piece-1")
    age_here(extended_id)
    with gate.held(extended_id):
        with transaction() as session:
            job_service.stop(session=session, job_id=extended_id)
        run = wait_for_end(extended_id)
    assert run.state == JobState.CANCELED, (run.message, run.error_log)
    assert_device_is_free(run.device_id)


def test_after_a_power_cut_an_extension_asks_for_the_image_to_be_restored(
    coarse_id: int, worker: WorkerProcess, gates: Gates
) -> None:
    extended_id = _extend(coarse_id)
    gate = gates.close("age.stable")
    worker.start()
    cut_power(worker=worker, gate=gate, run_id=extended_id, path=device_of(run_of(coarse_id).device_id).path or "")
    worker.start()

    run = wait_for_end(extended_id)

    assert (run.state, run.error_code) == (JobState.FAILED, "device_changed"), run.message
    assert f"Restore the image of run {coarse_id} to it, and extend that again." in (run.message or "")
    assert_device_is_free(run.device_id)


def test_a_checkpoint_that_is_gone_is_said_to_be(coarse_id: int) -> None:
    extended_id = _extend(coarse_id)
    checkpoint.file_of(coarse_id).unlink()
    assert _failure_of(extended_id) == "checkpoint_missing"
