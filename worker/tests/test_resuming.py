"""Runs whose worker is gone: interrupted, cleaned up, and resumed from the checkpoint."""

import re
import signal
import subprocess
import uuid
from pathlib import Path

import pytest
from sqlalchemy import select, update

from fixture_types import MIB, MakeSandbox, StartRun
from gates import Gates
from observe import (
    assert_device_is_free,
    device_of,
    look_at_devices,
    payloads_of,
    run_of,
    wait_for_end,
    wait_for_phase,
)
from patina.core.contract.phase import Phase
from patina.db import transaction
from patina.image.models import Image
from patina.job import notice
from patina.job import service as job_service
from patina.job.models import Job
from patina.job.service import AUTOMATIC_RESUMES_COUNT
from patina.job.state import JobState, NoticeKind
from patina.run import resuming, steering
from patina.run.models import Run
from patina.run.resuming import NotResumable
from patina_dev.testing.wait import wait_until
from patina_worker.host import checkpoint, file_system
from patina_worker.tools.run import run_tool
from power_cut import cut_power, is_in_use
from test_device_action import digest_of, done, start
from worker_process import WorkerProcess

SIZE_BYTES = 64 * MIB


def _states(run_id: int) -> list[object]:
    """Returns the states, without events that only enter a phase."""
    states: list[object] = []
    for payload in payloads_of(run_id):
        if payload["type"] == "state" and states[-1:] != [payload["state"]]:
            states.append(payload["state"])
    return states


def _resume_all() -> list[int]:
    with transaction() as session:
        return resuming.resume_all_interrupted(session=session, host_id=1, has_checkpoint=lambda _: True)


def _has_begun_again(run_id: int) -> bool:
    payloads = payloads_of(run_id)
    at = [i for i, p in enumerate(payloads) if p["type"] == "state" and p["state"] == "interrupted"]
    return bool(at) and any(p["type"] == "sample" for p in payloads[at[-1] :])


def test_a_run_whose_worker_was_killed_makes_the_image_it_would_have_made(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    killed, undisturbed = make_sandbox(SIZE_BYTES), make_sandbox(SIZE_BYTES)
    gate = gates.close("age.stable")
    run_id = start_run(killed, "steady")
    worker.start()
    with gate.held(run_id):
        worker.end(signal.SIGKILL)
    worker.start()

    run = wait_for_end(run_id)
    other = wait_for_end(start_run(undisturbed, "steady"))
    assert (run.state, other.state) == (JobState.SUCCEEDED, JobState.SUCCEEDED), (run.message, run.error_log)
    assert _states(run_id) == ["queued", "running", "interrupted", "queued", "running", "succeeded"]
    assert run.resumes_left_count == AUTOMATIC_RESUMES_COUNT - 1
    assert run.summary is not None
    assert other.summary is not None
    assert run.summary["plan_digest"] == other.summary["plan_digest"]
    disk = run.summary["disk"]
    assert disk["missing_count"] == disk["stray_count"] == disk["wrong_size_count"] == 0
    assert_device_is_free(killed)


def test_a_run_without_a_journal_begins_again_after_a_power_cut(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    cut, undisturbed = make_sandbox(SIZE_BYTES), make_sandbox(SIZE_BYTES)
    path = device_of(cut).path
    assert path is not None
    gate = gates.close("age.stable")
    run_id = start_run(cut, "steady")
    worker.start()
    cut_power(worker=worker, gate=gate, run_id=run_id, path=path)
    worker.start()

    run = wait_for_end(run_id)
    other = wait_for_end(start_run(undisturbed, "steady"))
    assert (run.state, other.state) == (JobState.SUCCEEDED, JobState.SUCCEEDED), (run.message, run.error_log)
    assert run.recipe is not None
    assert "noload" in run.recipe["mount_options"]
    assert any("begins again from its plan" in str(payload.get("message")) for payload in payloads_of(run_id))
    assert run.summary is not None
    assert other.summary is not None
    assert run.summary["plan_digest"] == other.summary["plan_digest"]
    disk = run.summary["disk"]
    assert disk["missing_count"] == disk["stray_count"] == disk["wrong_size_count"] == 0


def test_a_run_without_a_journal_leaves_the_journal_as_it_was(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    from patina_worker import tasks

    device_id, restored_id = make_sandbox(SIZE_BYTES), make_sandbox(SIZE_BYTES)
    run_id = start_run(device_id, "steady")
    tasks.work(run_id)
    assert run_of(run_id).state == JobState.SUCCEEDED

    path = device_of(device_id).path
    assert path is not None
    described = run_tool(["dumpe2fs", path]).stdout
    assert re.search(r"^Filesystem state: +clean$", described, re.MULTILINE)
    assert re.search(r"^Journal sequence: +0x00000001$", described, re.MULTILINE)
    assert re.search(r"^Journal start: +0$", described, re.MULTILINE)
    assert "needs_recovery" not in described
    assert run_tool(["e2fsck", "-fn", path]).returncode == 0
    with transaction() as session:
        image_id = session.scalars(select(Image.id).where(Image.run_id == run_id)).one()
    done(start(restored_id, "restore", image_id=image_id))
    assert digest_of(restored_id) == digest_of(device_id)


def test_a_worker_told_to_stop_hands_the_device_back_and_its_successor_goes_on(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    gate = gates.close("age.stable")
    run_id = start_run(device_id, "slow")
    worker.start()
    with gate.held(run_id):
        worker.end(signal.SIGTERM)
    assert run_of(run_id).state == JobState.INTERRUPTED
    assert_device_is_free(device_id)
    assert checkpoint.file_of(run_id).exists()

    again = gates.close("age.stable")
    worker.start()
    with again.held(run_id):
        wait_until("the run goes on", lambda: _has_begun_again(run_id))
        with transaction() as session:
            job_service.stop(session=session, job_id=run_id)
        assert wait_for_end(run_id).state == JobState.CANCELED
    wait_until("its checkpoint is removed", lambda: not checkpoint.file_of(run_id).exists())
    assert_device_is_free(device_id)


def test_a_run_stopped_on_the_way_to_its_checkpoint_keeps_it_until_it_is_canceled(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    gate = gates.close("age.stable")
    run_id = start_run(device_id, "slow")
    worker.start()
    with gate.held(run_id):
        worker.end(signal.SIGTERM)

    again = gates.close("age.prepare")
    worker.start()
    with again.held(run_id):
        worker.end(signal.SIGTERM)
    run = run_of(run_id)
    assert run.state == JobState.INTERRUPTED, (run.message, run.error_log)
    assert checkpoint.file_of(run_id).exists()

    once_more = gates.close("age.prepare")
    worker.start()
    with once_more.held(run_id):
        with transaction() as session:
            job_service.stop(session=session, job_id=run_id)
        run = wait_for_end(run_id)
    assert run.state == JobState.CANCELED, (run.message, run.error_log)
    assert_device_is_free(device_id)


def test_a_run_that_is_always_interrupted_waits_for_a_user(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    gate = gates.close("age.stable")
    run_id = start_run(make_sandbox(SIZE_BYTES), "steady")
    with transaction() as session:
        session.execute(update(Job).where(Job.id == run_id).values(resumes_left_count=0))
    worker.start()
    with gate.held(run_id):
        worker.end(signal.SIGTERM)

    assert _resume_all() == []
    with transaction() as session:
        steering.resume_run(session=session, run_id=run_id)
    assert run_of(run_id).state == JobState.QUEUED
    assert run_of(run_id).resumes_left_count == AUTOMATIC_RESUMES_COUNT
    worker.start()
    assert wait_for_end(run_id).state == JobState.SUCCEEDED
    assert _has_begun_again(run_id)


def test_a_run_does_not_go_on_where_another_has_been(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    gate = gates.close("age.stable")
    run_id = start_run(device_id, "steady")
    worker.start()
    with gate.held(run_id):
        worker.end(signal.SIGTERM)
    other_id = start_run(device_id)
    with transaction() as session:
        job_service.stop(session=session, job_id=other_id)

    with transaction() as session, pytest.raises(NotResumable, match="Another job has used") as refused:
        steering.resume_run(session=session, run_id=run_id)
    assert refused.value.code == "not_resumable"
    assert _resume_all() == []
    with transaction() as session:
        job_service.stop(session=session, job_id=run_id)
    assert run_of(run_id).state == JobState.CANCELED


def test_a_device_that_was_formatted_meanwhile_is_not_gone_on_with(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    gate = gates.close("age.stable")
    run_id = start_run(device_id, "steady")
    worker.start()
    with gate.held(run_id):
        worker.end(signal.SIGTERM)
    with open(device_of(device_id).path or "", "r+b") as node:
        node.write(bytes(2**20))

    worker.start()

    run = wait_for_end(run_id)
    assert (run.state, run.error_code) == (JobState.FAILED, "device_changed")
    assert_device_is_free(device_id)


def _killed_while_it_prepares(worker: WorkerProcess, gates: Gates, run_id: int) -> str:
    """Interrupts a run that has a file system and no checkpoint, and waits for a user. Returns its device's path."""
    gate = gates.close("age.prepare")
    worker.start()
    with gate.held(run_id):
        wait_for_phase(run_id, Phase.PREPARE)
        worker.end(signal.SIGKILL)
    path = device_of(run_of(run_id).device_id).path or ""
    wait_until("the device is unmounted", lambda: not is_in_use(path))
    checkpoint.remove(run_id)  # a core that outlives its worker writes one at its end
    worker.start()
    wait_until("the run rests", lambda: _is_resting(run_id))
    return path


def _is_resting(run_id: int) -> bool:
    run = run_of(run_id)
    return (run.state, run.resumes_left_count) == (JobState.INTERRUPTED, 0)


def _ask_to_go_on(run_id: int) -> Run:
    with transaction() as session:
        steering.resume_run(session=session, run_id=run_id)
    return wait_for_end(run_id)


def test_a_run_killed_while_it_prepares_begins_anew_once_a_user_resumes_it(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox(SIZE_BYTES))
    _killed_while_it_prepares(worker, gates, run_id)
    with transaction() as session:
        said = notice.latest_message(session=session, job_id=run_id, kind=NoticeKind.NEEDS_YOU)
    assert said is not None
    assert "before its first checkpoint" in said
    assert _ask_to_go_on(run_id).state == JobState.SUCCEEDED


@pytest.mark.parametrize("holds", ["what no tool knows", "what no tool knew and was given up"])
def test_what_has_no_uuid_is_known_by_the_devices_generation(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun, holds: str
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    path = Path(device_of(device_id).path or "")
    if holds != "what no tool knows":
        path.write_bytes(b"of before" * MIB)
        look_at_devices()
    run_id = start_run(device_id)
    _killed_while_it_prepares(worker, gates, run_id)
    subprocess.run(["wipefs", "-qa", path], check=True)
    with path.open("r+b") as device:
        device.write(b"of others" * MIB)

    run = _ask_to_go_on(run_id)

    assert (run.state, run.error_code) == (JobState.FAILED, "device_changed"), run.message
    assert path.read_bytes().startswith(b"of others")


@pytest.mark.parametrize("holds", ["nothing", "an ext4 that was given up"])
def test_what_others_made_on_the_device_of_an_interrupted_run_is_not_wiped(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun, holds: str
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    if holds != "nothing":
        subprocess.run(["mkfs.ext4", "-q", device_of(device_id).path or ""], check=True)
        look_at_devices()
    run_id = start_run(device_id)
    path = _killed_while_it_prepares(worker, gates, run_id)
    theirs = str(uuid.uuid4())
    subprocess.run(["mkfs.ext4", "-q", "-F", "-U", theirs, path], check=True)

    run = _ask_to_go_on(run_id)

    assert (run.state, run.error_code) == (JobState.FAILED, "device_changed"), run.message
    assert file_system.uuid_on(path) == theirs
    assert_device_is_free(device_id)


def test_a_run_that_goes_on_is_mounted_with_no_option_of_its_row(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    """An option can name another disk, such as the log device of an xfs."""
    run_id = start_run(make_sandbox(SIZE_BYTES))
    gate = gates.close("age.stable")
    worker.start()
    with gate.held(run_id):
        with transaction() as session:
            run = session.get_one(Run, run_id)
            assert run.recipe is not None
            run.recipe = {**run.recipe, "mount_options": "nouuid,logdev=/dev/loop0"}
            run.resumes_left_count = 0
        worker.end(signal.SIGKILL)
    worker.start()
    wait_until("the run rests", lambda: _is_resting(run_id))
    run = _ask_to_go_on(run_id)
    assert (run.state, run.error_code) == (JobState.FAILED, "device_changed"), run.message
    assert "logdev" in (run.message or "")
