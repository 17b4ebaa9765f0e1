"""A run from a queued row to an image, and every way to end it from outside."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import select

from fixture_types import MIB, AgeHere, MakeSandbox, StartRun
from gates import Gates
from observe import assert_device_is_free, cores_on, device_of, payloads_of, wait_for_end
from patina.db import transaction
from patina.device.models import Device
from patina.image.models import Image
from patina.image.service import read as read_image
from patina.job import service as job_service
from patina.job.models import JobEvent
from patina.job.state import JobState
from patina.queue import enqueue
from patina.run import thinning
from patina.run.models import Run
from patina.settings import settings
from patina_dev.testing.wait import wait_until
from patina_worker.host import sandbox
from worker_process import WorkerProcess

SIZE_BYTES = 64 * MIB


def _images() -> list[Image]:
    with transaction() as session:
        return list(session.scalars(select(Image)))


def test_a_fullness_of_statfs_is_met_by_statfs(
    worker: WorkerProcess, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox(320 * MIB), "agrawal", file_system="xfs", fullness=0.5, fullness_of="statfs")
    worker.start()

    run = wait_for_end(run_id)

    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log, worker.log()[-3000:])
    assert run.stop_reason == "converged"
    assert run.summary is not None
    assert run.recipe is not None
    assert abs(run.summary["fullness_statfs"] - 0.5) <= 0.01
    assert (run.in_force.fullness, run.fullness_of_files) == (0.5, run.summary["fullness_target"])
    assert run.fullness_of_files is not None
    assert run.fullness_of_files < 0.45  # of a small xfs 6.8 % are used before there is a file
    assert (run.recipe["fullness"], run.recipe["fullness_of"]) == (0.5, "statfs")


def test_a_queued_run_becomes_an_image_with_its_whole_recipe(
    worker: WorkerProcess, make_sandbox: MakeSandbox, start_run: StartRun, tmp_path: Path
) -> None:
    device_id = make_sandbox()
    run_id = start_run(device_id, "agrawal", fullness=0.3)
    worker.start()

    run = wait_for_end(run_id)

    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log, worker.log()[-3000:])
    assert run.stop_reason == "converged"
    [image] = _images()
    with transaction() as session:
        shown = read_image(session.merge(image))
    assert shown.recipe is not None
    assert shown.summary is not None
    assert shown.plan is not None
    assert shown.recipe.plan_digest == shown.summary.plan_digest
    assert shown.recipe.capacity_bytes == shown.plan.capacity_bytes
    assert {"mke2fs", "mount", "patina-core"} <= {k for k, v in shown.recipe.tools.items() if v != "missing"}
    assert shown.stored_bytes > 0
    assert shown.summary.free_extents is not None
    types = {payload["type"] for payload in payloads_of(run_id)}
    assert types >= {"state", "step", "plan", "sample", "space", "checkpoint", "summary", "progress"}
    phases = [payload["phase"] for payload in payloads_of(run_id) if payload["type"] == "state"]
    assert phases == [None, None, "prepare", "rapid", "stable", "capture", "capture"]
    assert device_of(device_id).holds == "ext4"
    assert_device_is_free(device_id)
    _assert_casync_gives_the_device(image, device_of(device_id).path or "", tmp_path)


def _assert_casync_gives_the_device(image: Image, path: str, folder: Path) -> None:
    index, extracted = settings().index_dir / image.index_name, folder / "out.img"
    assert index.stat().st_mode & 0o044
    subprocess.run(
        ["casync", "extract", f"--store={settings().store_dir}", str(index), str(extracted)],
        check=True,
        capture_output=True,
    )
    subprocess.run(["cmp", path, str(extracted)], check=True)


def test_a_queued_run_finds_its_sandbox_under_the_name_it_has_after_a_restart(
    worker: WorkerProcess, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id, other_id = make_sandbox(SIZE_BYTES), make_sandbox(SIZE_BYTES)
    run_id = start_run(device_id)
    before = device_of(device_id).path or ""
    for path in (before, device_of(other_id).path or ""):
        subprocess.run(["losetup", "--detach", path], check=True)
    with transaction() as session:
        other = sandbox.backing_file(stable_id=device_of(other_id).stable_id, medium="memory")
        # Takes the loop number. If another process has it meanwhile, it is free again when that ends.
        take = ["losetup", before, str(other)]
        wait_until(f"{before} is the other's", lambda: subprocess.run(take, check=False).returncode == 0)
        session.get_one(Device, other_id).path = before
    worker.start()

    assert wait_for_end(run_id).state == JobState.SUCCEEDED
    assert device_of(device_id).path != before
    assert device_of(other_id).holds is None


def test_a_message_delivered_three_times_runs_once(
    worker: WorkerProcess, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox(SIZE_BYTES))
    with transaction() as session:
        for _ in range(2):
            enqueue(session, "work", run_id, host_name="local")
    worker.start()

    assert wait_for_end(run_id).state == JobState.SUCCEEDED
    worker.end(signal.SIGTERM)
    assert [p["state"] for p in payloads_of(run_id) if p["type"] == "state"].count("running") == 5
    assert len(_images()) == 1


def test_cancel_ends_a_running_aging_without_an_image(
    age_here: AgeHere, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id, gate = make_sandbox(SIZE_BYTES), gates.close("age.stable")
    run_id = start_run(device_id, "steady")
    age_here(run_id)
    with gate.held(run_id):
        with transaction() as session:
            job_service.stop(session=session, job_id=run_id)
        run = wait_for_end(run_id)

    assert run.state == JobState.CANCELED
    assert run.stop_reason == "canceled"
    assert _images() == []
    assert_device_is_free(device_id)


def test_a_core_that_crashes_fails_the_run(
    age_here: AgeHere, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id, gate = make_sandbox(SIZE_BYTES), gates.close("age.stable")
    run_id = start_run(device_id, "steady")
    age_here(run_id)
    with gate.held(run_id):
        [core] = cores_on(device_of(device_id).path or "")
        os.kill(core, signal.SIGSEGV)

    run = wait_for_end(run_id)
    assert (run.state, run.error_code) == (JobState.FAILED, "core_died")
    assert "SIGSEGV" in (run.message or "")
    assert_device_is_free(device_id)


def test_what_a_long_run_reports_is_thinned_while_it_runs(
    monkeypatch: pytest.MonkeyPatch, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    """Uses low limits and frequent samples, so that a short run reaches them."""
    from patina_worker import tasks
    from patina_worker.handlers.aging import age, run_log

    request_of = age.request_of
    often = {"sample_interval_ms": 10}
    monkeypatch.setattr(age, "request_of", lambda job, **at: request_of(job, **at).model_copy(update=often))
    monkeypatch.setattr(run_log, "THINNING_PERIOD", 2)
    monkeypatch.setattr(thinning, "MOST_SAMPLES_COUNT", 4)
    monkeypatch.setattr(thinning, "RECENT_SAMPLES_COUNT", 1)
    run_id = start_run(make_sandbox(SIZE_BYTES), "slow", max_overwrites=5)
    tasks.work(run_id)

    with transaction() as session:
        rows = session.query(JobEvent).filter_by(job_id=run_id).order_by(JobEvent.sequence).all()
        run = session.get_one(Run, run_id)
        assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    samples = [row for row in rows if row.payload["type"] == "sample"]
    assert 2 <= len(samples) <= 4 + 2
    assert rows[-1].sequence > len(rows), "nothing was thinned"
    assert [row.follows for row in rows] == [0, *(row.sequence for row in rows[:-1])]
