"""Runs in memory: completed, interrupted in each phase, and refused."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from fixture_types import MIB, AgeHere, MakeSandbox, StartRun
from gates import Gates
from observe import assert_device_is_free, device_of, look_at_devices, payloads_of, run_of, wait_for_end, wait_for_phase
from patina.core.contract.phase import Phase
from patina.db import transaction
from patina.device.models import Device
from patina.file_system.table import row_of
from patina.image.models import Image
from patina.job import service as job_service
from patina.job.models import Job
from patina.job.state import TERMINAL, JobState
from patina.settings import settings
from patina_dev.testing.content import assert_same_content
from patina_dev.testing.wait import wait_until
from patina_worker.host import memory_device, sandbox
from patina_worker.store.capture import capture
from test_device_action import action_of, done, holding_of, start
from worker_process import WorkerProcess

SIZE_BYTES = 64 * MIB


def _in_memory() -> list[Path]:
    return list(settings().memory_dir.glob("*"))


def _loops_of_runs() -> list[Path]:
    return [file for file in sandbox.attached() if file.name.startswith("run-")]


def _assert_nothing_is_left(device_id: int) -> None:
    wait_until("the memory is given back", lambda: _in_memory() == [] and _loops_of_runs() == [])
    assert not list((settings().state_dir / "mnt").glob("*"))
    assert_device_is_free(device_id)


def _assert_device_holds_the_image(device_id: int, run_id: int) -> None:
    with transaction() as session:
        [image] = session.query(Image).filter_by(run_id=run_id).all()
    holding = holding_of(device_id)
    assert holding is not None
    assert holding.image_id == image.id
    action_id = start(device_id, "verify", image_id=image.id)
    done(action_id)  # unless the test's worker was faster
    wait_until("it is verified", lambda: action_of(action_id).state in TERMINAL)
    assert action_of(action_id).state == JobState.SUCCEEDED


def _phases(run_id: int) -> list[object]:
    entered: list[object] = []
    for payload in payloads_of(run_id):
        if payload["type"] == "state" and payload["phase"] not in (None, *entered[-1:]):
            entered.append(payload["phase"])
    return entered


@pytest.mark.parametrize("file_system", ["ext4", "xfs", "btrfs"])
def test_what_was_aged_in_memory_ends_on_the_device(
    file_system: str, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import tasks

    size_bytes = max(SIZE_BYTES, row_of(file_system).least_device_bytes)
    device_id = make_sandbox(size_bytes, medium="file")
    run_id = start_run(device_id, in_memory=True, file_system=file_system)

    tasks.work(run_id)

    run = run_of(run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    assert _phases(run_id) == ["prepare", "rapid", "stable", "capture", "restore"]
    assert run.recipe is not None
    assert run.recipe["in_memory"] is True
    assert device_of(device_id).holds == file_system
    _assert_nothing_is_left(device_id)
    _assert_device_holds_the_image(device_id, run_id)


def test_the_device_is_not_written_to_while_the_run_ages(
    age_here: AgeHere, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES, medium="file")
    path = device_of(device_id).path or ""
    subprocess.run(["mkfs.ext4", "-q", path], check=True)
    look_at_devices()
    before = sandbox.backing_file(stable_id=device_of(device_id).stable_id, medium="file").read_bytes()
    gate = gates.close("age.stable")
    run_id = start_run(device_id, "steady", in_memory=True)
    age_here(run_id)
    with gate.held(run_id):
        with transaction() as session:
            job_service.stop(session=session, job_id=run_id)
        assert wait_for_end(run_id).state == JobState.CANCELED

    assert_same_content(sandbox.backing_file(stable_id=device_of(device_id).stable_id, medium="file"), before)
    _assert_nothing_is_left(device_id)


def test_a_run_whose_worker_was_killed_goes_on_from_what_is_in_memory(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES, medium="file")
    gate = gates.close("age.stable")
    run_id = start_run(device_id, "steady", in_memory=True)
    worker.start()
    with gate.held(run_id):
        worker.end(signal.SIGKILL)
    worker.start()

    run = wait_for_end(run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    assert any("goes on from its checkpoint" in str(payload.get("message")) for payload in payloads_of(run_id))
    assert run.summary is not None
    disk = run.summary["disk"]
    assert disk["missing_count"] == disk["stray_count"] == disk["wrong_size_count"] == 0
    _assert_nothing_is_left(device_id)
    _assert_device_holds_the_image(device_id, run_id)


def test_a_run_whose_core_was_killed_goes_on_from_what_is_in_memory(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES, medium="file")
    gate = gates.close("age.stable")
    run_id = start_run(device_id, "steady", in_memory=True)
    worker.start()
    with gate.held(run_id):
        pattern = f"patina-core age --request {settings().state_dir}/checkpoints/run-{run_id}.request.json"
        subprocess.run(["pkill", "-KILL", "-f", pattern], check=True)

    run = wait_for_end(run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    assert any("goes on from its checkpoint" in str(payload.get("message")) for payload in payloads_of(run_id))
    _assert_nothing_is_left(device_id)


def test_a_run_whose_memory_is_gone_starts_again_from_its_plan(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES, medium="file")
    gate = gates.close("age.stable")
    run_id = start_run(device_id, "steady", in_memory=True)
    worker.start()
    with gate.held(run_id):
        worker.end(signal.SIGTERM)
    assert run_of(run_id).state == JobState.INTERRUPTED
    assert _in_memory() == [memory_device.file_of(run_id)]
    assert _loops_of_runs() == []
    memory_device.file_of(run_id).unlink()  # as a reboot of the host does

    worker.start()

    run = wait_for_end(run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    assert any("starts again from its plan" in str(payload.get("message")) for payload in payloads_of(run_id))
    _assert_nothing_is_left(device_id)
    _assert_device_holds_the_image(device_id, run_id)


def test_a_run_whose_worker_was_killed_while_it_wrote_the_image_writes_it_again(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES, medium="file")
    gate = gates.close("restore.piece-1")
    run_id = start_run(device_id, in_memory=True)
    worker.start()
    with gate.held(run_id):
        wait_for_phase(run_id, Phase.RESTORE)
        worker.end(signal.SIGKILL)
    worker.start()

    run = wait_for_end(run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    assert _phases(run_id).count("restore") == 2
    _assert_nothing_is_left(device_id)
    _assert_device_holds_the_image(device_id, run_id)


def test_a_run_canceled_while_it_writes_the_image_says_what_the_device_holds(
    age_here: AgeHere, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES, medium="file")
    gate = gates.close("restore.piece-1")
    run_id = start_run(device_id, in_memory=True)
    age_here(run_id)
    with gate.held(run_id):
        with transaction() as session:
            job_service.stop(session=session, job_id=run_id)
        assert wait_for_end(run_id).state == JobState.CANCELED

    assert any("a part of the image at most" in str(payload.get("message")) for payload in payloads_of(run_id))
    assert holding_of(device_id) is None
    _assert_nothing_is_left(device_id)


def test_a_device_that_is_in_use_by_then_is_not_written_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import tasks
    from patina_worker.handlers.aging import age

    device_id = make_sandbox(SIZE_BYTES, medium="file")
    path = device_of(device_id).path or ""

    def _capture_and_mount(**given: object) -> object:
        captured = capture(**given)  # type: ignore[arg-type]
        subprocess.run(["mkfs.ext4", "-q", path], check=True)
        subprocess.run(["mount", path, tmp_path], check=True)
        return captured

    monkeypatch.setattr(age, "capture", _capture_and_mount)
    run_id = start_run(device_id, in_memory=True)
    try:
        tasks.work(run_id)
        run = run_of(run_id)
        assert (run.state, run.error_code) == (JobState.FAILED, "device_protected")
        assert os.listdir(tmp_path) == ["lost+found"]
    finally:
        subprocess.run(["umount", tmp_path], check=True)
    assert _in_memory() == []


def test_a_host_whose_memory_went_meanwhile_fails_the_run_before_it_writes(
    monkeypatch: pytest.MonkeyPatch, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import tasks

    device_id = make_sandbox(SIZE_BYTES, medium="file")
    run_id = start_run(device_id, in_memory=True)
    monkeypatch.setattr(memory_device, "HOST_SHARE", 1)

    tasks.work(run_id)

    run = run_of(run_id)
    assert (run.state, run.error_code) == (JobState.FAILED, "memory_too_small"), run.message
    _assert_nothing_is_left(device_id)


def test_memory_is_kept_for_runs_that_go_on_and_for_no_others(
    host_id: int, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    waiting, resting = (
        start_run(make_sandbox(SIZE_BYTES, medium="file")),
        start_run(make_sandbox(SIZE_BYTES, medium="file")),
    )
    with transaction() as session:
        for run_id, left_count in ((waiting, 1), (resting, 0)):
            session.query(Job).filter_by(id=run_id).update(
                {"state": JobState.INTERRUPTED, "resumes_left_count": left_count}
            )
    settings().memory_dir.mkdir(exist_ok=True)
    for run_id in (waiting, resting, 987_654):
        memory_device.file_of(run_id).touch()

    memory_device.tidy()

    assert _in_memory() == [memory_device.file_of(waiting)]


def test_a_host_says_what_memory_it_has_left(host_id: int, make_sandbox: MakeSandbox) -> None:
    with transaction() as session:
        device = session.get_one(Device, make_sandbox(SIZE_BYTES, medium="file"))
        assert 0 < device.host.memory_free_bytes < device.host.memory_bytes
        assert 0 < device.host.disk_free_bytes <= device.host.disk_bytes
        assert device.fits_in_memory
