"""Trials by the worker, on real devices: measured, restored before each repetition, and never left as clean."""

import hashlib
import json
import os
import signal
from pathlib import Path

import pytest

from fixture_types import MIB, MakeSandbox, StartRun
from gates import Gates
from observe import assert_device_is_free, cores_on, device_of
from patina.core.failure import Stopped
from patina.db import transaction
from patina.device_action import service as action_service
from patina.device_action.schemas import ActionCreate
from patina.job import service as job_service
from patina.job.state import ENDED, JobState
from patina.settings import settings
from patina.trial.export import export_trial
from patina.trial.models import RepetitionState, Trial
from patina_dev.testing.wait import wait_until
from patina_worker.host import device_node
from patina_worker.store import tracing
from trials import digest_of, done, holding_of, image_of, layout_of, measured, start, trial_of
from worker_process import WorkerProcess

SIZE_BYTES = 72 * MIB

# 20 files of 8 KiB written, read and removed by two threads: bytes and operations are known.
EXACT = """
set mode quit firstdone
define fileset name=files,size=8k,entries=20,dirwidth=100,dirgamma=0,prealloc=0
define process name=program
{
  thread name=writer
  {
    flowop createfile name=create,filesetname=files,fd=1
    flowop writewholefile name=write,fd=1,srcfd=1,iosize=4k
    flowop fsync name=fsync,fd=1
    flowop closefile name=close,fd=1
  }
}
"""
QUICK = {"kind": "personality", "name": "exact", "spec": EXACT, "seconds": 60, "warm_up_s": 0}


def test_a_trial_measures_exactly_what_its_workload_does_and_leaves_the_image(aged: int) -> None:
    before = digest_of(aged)
    trial = done(start(aged, [QUICK]))

    assert trial.state == JobState.SUCCEEDED, trial.message
    assert [row.state for row in trial.repetitions] == [RepetitionState.DONE] * 3
    for repetition in measured(trial.id):
        measurement = repetition.measurement
        assert measurement is not None
        assert measurement.written_bytes == 20 * 8192
        assert measurement.space_amplification is not None
        assert 1 <= measurement.space_amplification < 1.5
        assert {op.name: op.count for op in measurement.operations} == {
            "create": 20,
            "write": 20,
            "fsync": 20,
            "close": 20,
        }
        assert measurement.figures["ops_count"] == 80
        assert measurement.device.written_bytes >= 20 * 8192
        assert measurement.write_amplification == measurement.device.written_bytes / (20 * 8192)
        assert measurement.traced is not None
        assert measurement.traced.incomplete_reason is None
        free_before, free_after = measurement.free_extents_before, measurement.free_extents_after
        assert free_before is not None
        assert free_after is not None
        assert free_before == layout_of(aged).free_extents
        # 20 files of two blocks, and at most a few blocks for their directory.
        assert 40 <= free_before.free_blocks_count - free_after.free_blocks_count <= 48
    assert digest_of(aged) == before
    holding = holding_of(aged)
    assert holding is not None
    assert (holding.delta_id, holding.doubt) == (None, None)


def test_the_digest_of_a_result_is_that_of_its_exported_measurements(aged: int) -> None:
    trial = done(start(aged, [{"kind": "find"}]))
    assert trial.result is not None
    with transaction() as session:
        exported = export_trial(session=session, trial=session.get_one(Trial, trial.id), format="json")
    rows = [row["measurement"] for row in json.loads(exported.content)["measurements"]]
    lines = [json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False) for row in rows]
    assert trial.result.digest == hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def test_every_repetition_but_the_first_begins_with_a_rollback_of_what_was_traced(aged: int) -> None:
    trial = done(start(aged, [QUICK]))
    hows = [row.measurement.restoration.how for row in measured(trial.id) if row.measurement]
    assert hows == ["held", "rollback", "rollback"]


def test_without_a_trace_a_rollback_compares_everything(aged: int) -> None:
    before = digest_of(aged)
    trial = done(start(aged, [QUICK], is_traced=False))
    hows = [row.measurement.restoration.how for row in measured(trial.id) if row.measurement]
    assert hows == ["held", "compare", "compare"]
    assert all(row.measurement is not None and row.measurement.traced is None for row in measured(trial.id))
    assert digest_of(aged) == before


def test_passes_over_the_tree_and_programs_are_measured(aged: int) -> None:
    fio: dict[str, object] = {
        "kind": "fio",
        "name": "random reads",
        "job": "[global]\nsize=1m\nbs=4k\n[job]\nrw=randread\n",
    }
    postmark: dict[str, object] = {"kind": "postmark", "files_count": 10, "transactions_count": 20}
    workloads: list[dict[str, object]] = [{"kind": kind} for kind in ("grep", "find", "du", "rm")]
    trial = done(start(aged, [*workloads, fio, postmark]))

    assert trial.state == JobState.SUCCEEDED, (trial.message, [row.error_message for row in trial.repetitions])
    assert len(trial.figures) == 6
    assert all(figure.estimate.count == 3 and figure.estimate.mean > 0 for figure in trial.figures)
    by_kind = {trial.settings.workloads[row.workload].kind: row.measurement for row in measured(trial.id)}
    assert by_kind["fio"] is not None
    assert by_kind["fio"].output is not None
    assert by_kind["fio"].read_bytes == MIB
    grep = by_kind["grep"]
    assert grep is not None
    assert grep.device.read_bytes > 0.9 * grep.figures["used_bytes"]  # from the disk, not from a cache
    assert grep.layout_score is not None
    assert 0 < grep.layout_score < 1
    assert grep.traced is not None
    assert (grep.traced.read_bytes or 0) >= grep.device.read_bytes
    assert by_kind["find"] is not None
    assert by_kind["find"].layout_score is None


def test_a_workload_that_fails_is_recorded_and_the_others_go_on(aged: int) -> None:
    starved = QUICK | {"name": "starved", "spec": EXACT.replace("set mode quit firstdone", "")}
    trial = done(start(aged, [starved, QUICK]))

    assert trial.state == JobState.SUCCEEDED, trial.message
    failed = [row for row in trial.repetitions if row.state == RepetitionState.FAILED]
    assert [row.error_code for row in failed] == ["workload_invalid"] * 3
    assert "no suitable file" in (failed[0].error_message or "")
    assert trial.result is not None
    assert (trial.result.done_count, trial.result.failed_count) == (3, 3)


def test_a_full_file_system_fails_the_repetition_and_is_rolled_back(aged: int) -> None:
    before = digest_of(aged)
    filling = QUICK | {"name": "filling", "spec": EXACT.replace("size=8k", "size=8m"), "files_count": 20}
    trial = done(start(aged, [filling, QUICK]))

    failed = [row for row in trial.repetitions if row.state == RepetitionState.FAILED]
    assert [row.error_code for row in failed] == ["no_space"] * 3
    assert digest_of(aged) == before


def test_a_trial_of_nothing_measurable_fails(aged: int) -> None:
    starved = QUICK | {"spec": EXACT.replace("set mode quit firstdone", "")}
    trial = done(start(aged, [starved]))
    assert (trial.state, trial.error_code) == (JobState.FAILED, "no_measurement")


def begun(trial_id: int) -> str:
    """Returns why no core of the trial will come any more; empty while one may."""
    trial = trial_of(trial_id)
    return f"trial {trial_id} is {trial.state}: {trial.message}" if trial.state in ENDED else ""


def test_a_killed_worker_leaves_the_device_unknown_and_the_next_one_measures_the_rest(
    aged: int, worker: WorkerProcess, gates: Gates
) -> None:
    before = digest_of(aged)
    gate = gates.close("workload.run")
    worker.start()
    worker.wait_until_ready()
    trial_id = start(aged, [QUICK])
    with gate.held_until(lambda: begun(trial_id)):
        worker.end(signal.SIGKILL)
        holding = holding_of(aged)
        assert holding is not None
        assert holding.delta is not None
        assert holding.delta.incomplete_reason == "tracer_died"  # never clean
    worker.start()
    wait_until("the trial has ended", lambda: trial_of(trial_id).state in ENDED)

    trial = trial_of(trial_id)
    assert trial.state == JobState.SUCCEEDED, trial.message
    assert trial.attempt == 2
    hows = [row.measurement.restoration.how for row in measured(trial_id) if row.measurement]
    assert hows == ["compare", "rollback", "rollback"]
    assert digest_of(aged) == before
    assert_device_is_free(aged)


def test_a_trial_that_is_canceled_in_a_repetition_leaves_a_device_that_a_rollback_makes_equal(
    aged: int, worker: WorkerProcess, gates: Gates
) -> None:
    before = digest_of(aged)
    gate = gates.close("workload.run")
    worker.start()
    worker.wait_until_ready()
    trial_id = start(aged, [QUICK])
    # Held until the stop is noticed: the workload would end before, and the next repetition roll the device back.
    with gate.held_until(lambda: begun(trial_id)):
        with transaction() as session:
            job_service.stop(session=session, job_id=trial_id)
        wait_until("the trial has ended", lambda: trial_of(trial_id).state in ENDED)
    assert trial_of(trial_id).state == JobState.CANCELED
    assert_device_is_free(aged)
    holding = holding_of(aged)
    assert holding is not None
    assert holding.delta_id is not None

    device = device_of(aged)
    confirmation = {"stable_id": device.stable_id, "size_bytes": device.size_bytes, "typed": device.path}
    with transaction() as session:
        body = {"kind": "rollback", "device_id": aged, "confirmation": confirmation}
        rollback = action_service.start_action(
            session=session, create=ActionCreate.model_validate(body), idempotency_key=None
        ).id
    wait_until("the rollback has ended", lambda: run_state(rollback) in ENDED)
    assert run_state(rollback) == JobState.SUCCEEDED
    assert digest_of(aged) == before


def test_a_trace_that_is_stopped_before_it_is_armed_leaves_the_device_free(
    make_sandbox: MakeSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = device_of(make_sandbox(SIZE_BYTES))
    assert device.path is not None
    monkeypatch.setattr(tracing, "TICK_S", 0)  # the stop is noticed before the core has begun
    lock = os.open(os.devnull, os.O_RDONLY)
    trace = tracing.Tracing(device.path, size_bytes=device.size_bytes, generation="", job_id=77, lock=lock)
    with pytest.raises(Stopped):
        trace.begin(lambda: True)
    os.close(lock)
    with device_node.opened_alone(device.path):
        pass
    assert list(settings().delta_dir.glob("job-77-*")) == []


def run_state(job_id: int) -> JobState:
    with transaction() as session:
        return job_service.get_state(session=session, job_id=job_id)


def test_a_killed_core_fails_its_repetition_and_the_others_go_on(
    aged: int, worker: WorkerProcess, gates: Gates
) -> None:
    before = digest_of(aged)
    gate = gates.close("workload.run")
    worker.start()
    worker.wait_until_ready()
    trial_id = start(aged, [QUICK])
    with gate.held_until(lambda: begun(trial_id)):
        [core] = cores_with("workload", device_of(aged).path or "")
        os.kill(core, signal.SIGKILL)
    wait_until("the trial has ended", lambda: trial_of(trial_id).state in ENDED)

    trial = trial_of(trial_id)
    assert trial.state == JobState.SUCCEEDED, trial.message
    assert [row.state for row in trial.repetitions] == [
        RepetitionState.FAILED,
        RepetitionState.DONE,
        RepetitionState.DONE,
    ]
    assert trial.repetitions[0].error_code == "core_died"
    assert digest_of(aged) == before


def cores_with(command: str, path: str) -> list[int]:
    """Returns the cores on the device that run the command."""
    found = []
    for pid in cores_on(path):
        if command.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
            found.append(pid)
    return found


def test_a_trial_waits_for_the_run_that_makes_its_image(
    make_sandbox: MakeSandbox, start_run: StartRun, worker: WorkerProcess
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    run_id = start_run(device_id, data_mode="materialize")
    trial_id = start(device_id, [QUICK], arms=[{"run_id": run_id}], waits=True)
    assert trial_of(trial_id).is_waiting
    worker.start()
    wait_until("the trial has ended", lambda: trial_of(trial_id).state in ENDED)
    trial = trial_of(trial_id)
    assert trial.state == JobState.SUCCEEDED, trial.message
    assert {row.image.name for row in trial.repetitions if row.image} != set()


def test_a_journal_is_removed_where_it_is_asked_for(aged: int) -> None:
    arms = [{"image_id": image_of(aged)}, {"image_id": image_of(aged), "has_journal": False}]
    trial = done(start(aged, [QUICK], arms=arms))
    assert trial.state == JobState.SUCCEEDED, trial.message
    assert [arm.label for arm in trial.settings.arms] == [
        trial.settings.arms[0].label,
        trial.settings.arms[0].label.replace("ext4", "ext4 without journal"),
    ]
    amplification = {figure.arm: figure.write_amplification for figure in trial.figures}
    assert amplification[0] is not None
    assert amplification[1] is not None
    assert amplification[1].mean < amplification[0].mean


def test_the_unaged_twin_is_made_first_and_used_again_afterwards(aged: int, worker: WorkerProcess) -> None:
    worker.start()
    trial_id = start(aged, [{"kind": "grep"}], adds_twins=True)
    wait_until("the trial has ended", lambda: trial_of(trial_id).state in ENDED)
    trial = trial_of(trial_id)
    assert trial.state == JobState.SUCCEEDED, trial.message
    assert [(arm.state == "unaged", arm.is_base) for arm in trial.settings.arms] == [(True, True), (False, False)]
    by_arm = {figure.arm: figure for figure in trial.figures}
    assert by_arm[0].ratio is None
    assert by_arm[1].ratio is not None
    twin = next(row.image for row in trial.repetitions if row.arm == 0)
    assert twin is not None

    again = start(
        aged,
        [{"kind": "find"}],
        arms=[{"image_id": row.image.id} for row in trial.repetitions if row.arm == 1 and row.image][:1],
        adds_twins=True,
    )
    assert trial_of(again).settings.arms[0].image_id == twin.id
    with transaction() as session:
        job_service.stop(session=session, job_id=again)
    wait_until("the second trial has ended", lambda: trial_of(again).state in ENDED)
