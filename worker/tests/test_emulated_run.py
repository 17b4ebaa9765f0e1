"""Runs on emulated disks: aged, captured, restored to another one; failures below the device have names."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import trials
from fixture_types import MIB, AgeHere, MakeSandbox, StartRun
from gates import Gates
from observe import assert_device_is_free, device_of, look_at_devices, payloads_of, run_of, wait_for_end
from patina.core.contract.emulate import Disappears, NoFault, PowerCut, ReadError, ReadOnly
from patina.db import transaction
from patina.device import fault as fault_service
from patina.device.emulation import Emulated, Prediction
from patina.device_action import service as action_service
from patina.device_action.models import Action
from patina.device_action.schemas import ActionCreate
from patina.errors import PatinaError
from patina.image.models import Image
from patina.job.state import JobState
from patina.run import steering
from patina.run.models import Run
from patina.run.schemas import Confirmation, ExtensionCreate
from patina.use_case import extend_run as extension_service
from patina_dev.testing.wait import wait_until
from patina_worker.failure import FsckFailed
from patina_worker.host import emulator, file_system, full_disk, sandbox
from patina_worker.host.layout import measure_layout
from patina_worker.host.predicted import PredictedParts
from patina_worker.host.write_check import target_of
from worker_process import WorkerProcess

SIZE_BYTES = 512 * MIB
AgeDisturbed = Callable[[int, Callable[[], None]], Run]
ASKED: dict[str, object] = {"data": "random", "available_bytes": 256 * MIB}


def folder_of(device_id: int) -> Path:
    device = device_of(device_id)
    return sandbox.backing_file(stable_id=device.stable_id, medium=device.medium)


def aged(run_id: int) -> Run:
    """Runs it in this process."""
    from patina_worker import tasks

    tasks.work(run_id)
    return run_of(run_id)


def acted(device_id: int, kind: str, image_id: int) -> Action:
    """Runs an action in this process."""
    from patina_worker import tasks

    device = device_of(device_id)
    body = {
        "kind": kind,
        "device_id": device_id,
        "image_id": image_id,
        "confirmation": {
            "stable_id": device.stable_id,
            "size_bytes": device.size_bytes,
            "typed": device.path,
        },
    }
    with transaction() as session:
        create = ActionCreate.model_validate(body)
        action_id = action_service.start_action(session=session, create=create, idempotency_key=None).id
    tasks.work(action_id)
    with transaction() as session:
        return session.get_one(Action, action_id)


@pytest.fixture
def age_disturbed(start_run: StartRun, age_here: AgeHere, gates: Gates) -> AgeDisturbed:
    """Returns the run of a device that was disturbed while it aged, once it has ended."""

    def age(device_id: int, disturb: Callable[[], None]) -> Run:
        gate = gates.close("age.stable")
        run_id = start_run(device_id, "steady", data_mode="write")
        age_here(run_id)
        with gate.held(run_id):
            disturb()
        return wait_for_end(run_id)

    return age


def image_of(run_id: int) -> Image:
    with transaction() as session:
        image = session.query(Image).filter_by(run_id=run_id).one()
        assert image.layout is not None
        return image


def shown_of(device_id: int) -> Emulated:
    """Returns the figures that the device's card shows, as the end of the last job left them."""
    return Emulated.model_validate(device_of(device_id).emulated)


@pytest.mark.parametrize(
    ("kind", "capture"), [("ext4", "metadata"), ("xfs", "metadata"), ("btrfs", "metadata"), ("btrfs", "allocated")]
)
def test_an_image_goes_from_one_emulated_disk_to_another_and_has_its_layout(
    make_sandbox: MakeSandbox, start_run: StartRun, kind: str, capture: str
) -> None:
    source, target = make_sandbox(SIZE_BYTES, emulation=ASKED), make_sandbox(SIZE_BYTES, emulation=ASKED | {"seed": 9})
    run = aged(start_run(source, file_system=kind, data_mode="write", capture_mode=capture))
    assert run.state == JobState.SUCCEEDED, f"{run.message}\n{run.error_log}"
    status = emulator.status(folder_of(source))
    assert status.file_system == kind
    assert status.squashed_bytes > 0
    assert run.recipe is not None
    has_own_options = {"nodatasum", "discard=sync"} <= set(run.recipe["mount_options"].split(","))
    assert has_own_options is (kind == "btrfs")

    image = image_of(run.id)
    card = shown_of(source)
    assert card.used_bytes is not None
    assert card.used_bytes > SIZE_BYTES // 4
    assert card.saved_bytes > card.used_bytes // 2
    if capture == "metadata":
        assert image.stored_bytes < SIZE_BYTES // 16
    restored = acted(target, "restore", image.id)
    assert restored.state == JobState.SUCCEEDED, f"{restored.message}\n{emulator.status(folder_of(target))}"
    assert "with the layout of the image" in restored.message
    path = device_of(target).path or ""
    file_system.require_clean(kind, path)
    found = measure_layout(path, check=lambda: False)
    assert image.layout is not None
    assert found.layout_digest == image.layout["layout_digest"]
    assert emulator.status(folder_of(target)).stored_bytes < SIZE_BYTES // 4
    card = shown_of(target)
    assert card.used_bytes == shown_of(source).used_bytes
    assert card.used_bytes is not None
    assert card.saved_bytes > card.used_bytes // 2

    verified = acted(target, "verify", image.id)
    assert (verified.state, verified.error_code) == (JobState.FAILED, "not_comparable")


def test_the_time_of_an_aging_is_predicted(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    device_id = make_sandbox(SIZE_BYTES, emulation=ASKED | {"model": "hitachi-1tb"})
    run = aged(start_run(device_id, data_mode="write"))
    assert run.state == JobState.SUCCEEDED, run.message
    prediction = Prediction.model_validate(run.prediction)
    assert prediction.predicted_s > 0
    assert prediction.is_whole
    so_far = [float(str(payload["predicted_s"])) for payload in payloads_of(run.id) if payload["type"] == "sample"]
    assert so_far == sorted(so_far)
    assert prediction.model_label == (device_of(device_id).emulation or {})["model_label"]
    varmail: dict[str, object] = {"kind": "personality", "name": "varmail", "seconds": 1, "warm_up_s": 0}
    trial = trials.done(trials.start(device_id, [{"kind": "find"}, varmail]))
    for repetition in trials.measured(trial.id):
        assert repetition.measurement is not None, repetition
        device = repetition.measurement.device
        assert device.predicted_s is not None
        assert device.elapsed_s is not None
        assert device.predicted_s > 0
    assert [figure.prediction is None for figure in trial.figures] == [False, False]
    plain = aged(start_run(make_sandbox(SIZE_BYTES, emulation=ASKED), data_mode="write"))
    assert plain.prediction is None


def extended_by(run: Run, **conditions: float) -> int:
    """Queues an extension."""
    device = device_of(run.device_id)
    confirmation = Confirmation(stable_id=device.stable_id, size_bytes=device.size_bytes, typed=device.path)
    create = ExtensionCreate.model_validate({"confirmation": confirmation, **conditions})
    with transaction() as session:
        return extension_service.extend_run(session=session, run_id=run.id, create=create, idempotency_key=None).id


def test_a_run_that_was_interrupted_and_its_extension_have_the_sum_of_their_parts(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES, emulation=ASKED | {"model": "hitachi-1tb"})
    gate = gates.close("age.stable")
    run_id = start_run(device_id, "steady", data_mode="write")
    worker.start()
    with gate.held(run_id):
        worker.end(signal.SIGTERM)
    interrupted = run_of(run_id)
    first = Prediction.model_validate(interrupted.prediction)
    worker.start()
    run = wait_for_end(run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    whole = Prediction.model_validate(run.prediction)
    assert whole.is_whole
    assert whole.predicted_s > first.predicted_s > 0
    assert whole.elapsed_s > first.elapsed_s

    assert run.summary is not None
    extended = wait_for_end(extended_by(run, exact_ops_count=run.summary["ops_count"] + 500))
    assert extended.state == JobState.SUCCEEDED, (extended.message, extended.error_log)
    assert Prediction.model_validate(extended.prediction).predicted_s > whole.predicted_s
    with transaction() as session:
        session.get_one(Run, extended.id).prediction = None
    more = wait_for_end(extended_by(extended, exact_ops_count=run.summary["ops_count"] + 700))
    assert more.state == JobState.SUCCEEDED, (more.message, more.error_log)
    unknown = Prediction.model_validate(more.prediction)
    assert not unknown.is_whole
    assert "a part of it was not measured" in unknown.in_words()


def test_a_run_whose_emulator_is_killed_fails_by_name_and_the_disk_returns(
    make_sandbox: MakeSandbox, start_run: StartRun, age_disturbed: AgeDisturbed
) -> None:
    device_id = make_sandbox(SIZE_BYTES, emulation=ASKED)

    def disturb() -> None:
        served = emulator.find(folder_of(device_id))
        assert served is not None
        os.kill(served.pid, signal.SIGKILL)

    run = age_disturbed(device_id, disturb)
    assert (run.state, run.error_code) == (JobState.FAILED, "emulator_ended"), run.message
    look_at_devices()
    assert device_of(device_id).condition == "ready"
    assert_device_is_free(device_id)
    assert aged(start_run(device_id)).state == JobState.SUCCEEDED


def test_a_run_on_a_disk_that_disappears_fails_by_name(make_sandbox: MakeSandbox, age_disturbed: AgeDisturbed) -> None:
    from patina_worker import tasks

    device_id = make_sandbox(SIZE_BYTES, emulation=ASKED)

    def disturb() -> None:
        with transaction() as session:
            fault = Disappears(kind="disappears")
            fault_service.inject_fault(session=session, device_id=device_id, fault=fault)
        tasks.inject_fault(device_id)

    run = age_disturbed(device_id, disturb)
    assert (run.state, run.error_code) == (JobState.FAILED, "disk_fault"), run.message
    assert "disappears" in run.message
    emulator.inject(folder_of(device_id), NoFault(kind="none"))
    look_at_devices()
    assert_device_is_free(device_id)


def test_the_time_of_a_pause_is_left_out_of_the_prediction(
    make_sandbox: MakeSandbox, start_run: StartRun, age_here: AgeHere, gates: Gates, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks: list[str] = []

    def observe(name: str, mark: Callable[[PredictedParts], None]) -> None:
        def marked(parts: PredictedParts) -> None:
            marks.append(name)
            mark(parts)

        monkeypatch.setattr(PredictedParts, name, marked)

    observe("pause", PredictedParts.pause)
    observe("go_on", PredictedParts.go_on)
    gate = gates.close("age.stable")
    run_id = start_run(make_sandbox(SIZE_BYTES, emulation=ASKED | {"model": "hdd-7200"}), "steady")
    age_here(run_id)
    with gate.held(run_id), transaction() as session:
        steering.pause_run(session=session, run_id=run_id)
    wait_until("the run is paused", lambda: run_of(run_id).state == JobState.PAUSED)
    assert marks == ["pause"]
    with transaction() as session:
        steering.resume_run(session=session, run_id=run_id)
    run = wait_for_end(run_id)
    assert run.state == JobState.SUCCEEDED, run.message
    assert marks == ["pause", "go_on"]
    assert Prediction.model_validate(run.prediction).is_whole


def test_a_run_that_needs_more_than_the_disk_may_store_fails_by_name(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES, emulation={"keeps_all": True, "available_bytes": 64 * MIB})
    run = aged(start_run(device_id, data_mode="write"))
    assert (run.state, run.error_code) == (JobState.FAILED, "emulated_disk_full"), run.message
    assert "may store" in run.message
    look_at_devices()
    assert_device_is_free(device_id)
    # A full disk can be emptied: what the next run discards is not refused.
    again = aged(start_run(device_id, data_mode="sparse"))
    assert again.state == JobState.SUCCEEDED, again.message
    # What fails from then on has another reason.
    target = target_of(device_of(device_id), run.confirmed or {})
    other = FsckFailed("The file system is damaged.")
    assert full_disk.why(other, target=target, began=time.monotonic()) is other
    assert full_disk.why(other, target=target, began=0).code == "emulated_disk_full"


def test_a_run_on_a_disk_that_refuses_writes_fails_by_name_before_mkfs(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES, emulation=ASKED)
    emulator.inject(folder_of(device_id), ReadOnly(kind="read_only"))
    run = aged(start_run(device_id))
    assert (run.state, run.error_code) == (JobState.FAILED, "disk_fault"), run.message
    assert "read only. End all faults; then start again" in run.message
    assert "could not be discarded" in run.message
    assert_device_is_free(device_id)


def test_a_run_whose_disk_loses_power_says_that_the_disk_returns_by_itself(
    make_sandbox: MakeSandbox, age_disturbed: AgeDisturbed
) -> None:
    device_id = make_sandbox(SIZE_BYTES, emulation=ASKED)

    def disturb() -> None:
        emulator.inject(folder_of(device_id), PowerCut(kind="power_cut"))

    run = age_disturbed(device_id, disturb)
    assert (run.state, run.error_code) == (JobState.FAILED, "disk_fault"), run.message
    assert "power cut. The disk returns as soon as no job holds it" in run.message
    look_at_devices()
    assert emulator.status(folder_of(device_id)).faults == []
    assert_device_is_free(device_id)


def test_a_fault_that_the_emulator_refuses_fails_with_its_reason(make_sandbox: MakeSandbox) -> None:
    folder = folder_of(make_sandbox(SIZE_BYTES, emulation=ASKED))
    outside = ReadError(kind="read_error", first_byte=SIZE_BYTES, length_bytes=1)
    with pytest.raises(PatinaError, match="'first_byte' must be a whole number") as refused:
        emulator.inject(folder, outside)
    assert refused.value.code == "emulator_failed"
    assert emulator.status(folder).faults == []
