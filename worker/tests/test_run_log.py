"""The worker's writes into a run's row and journal, and its lines to the run's core. No device, no root."""

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest
from sqlalchemy import select, text, update

from core_script import ScriptedCore, control_line, golden
from fixture_types import MIB, StartRun
from lock_waits import waiting_count
from observe import claim_of, lease_of, payloads_of, run_of
from patina.core import supervised as native
from patina.core.contract.age import AGE, AgeSummary, Space
from patina.core.contract.phase import Phase
from patina.core.supervised import run_core
from patina.db import transaction
from patina.device.lease import LeaseLost
from patina.device.models import Device, Lease
from patina.job import journal
from patina.job import service as job_service
from patina.job.models import Job
from patina.job.state import JobState
from patina.run import steering
from patina.run.models import Run
from patina.run.settings import StopConditions
from patina.run.thinning import MOST_SPACES_COUNT, RECENT_SPACES_COUNT
from patina_dev.testing.wait import wait_until
from patina_worker.failure import JobCanceled
from patina_worker.handlers.aging.run_log import RunLog
from patina_worker.handlers.aging.steer import Steering
from patina_worker.jobs import log as job_log

HELLO, PLAN, *_REST = golden("age")
SAMPLE = next(line for line in _REST if '"sample"' in line)
CHECKPOINT = next(line for line in _REST if '"checkpoint"' in line)
SUMMARY = _REST[-1]


@pytest.fixture
def device_id(host_id: int) -> int:
    """Returns the row of a ready device that does not exist."""
    with transaction() as session:
        device = Device(
            host_id=host_id,
            stable_id="sandbox-none",
            kind="sandbox",
            medium="memory",
            path="/dev/patina-none",
            size_bytes=128 * MIB,
            is_rotational=False,
            condition="ready",
        )
        session.add(device)
        session.flush()
        return device.id


@dataclass
class Aging:
    """A run that has begun: its log, and its core in a thread, as in a task of the worker."""

    run_id: int
    log: RunLog
    _is_closing: bool = False
    _executor: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def start(self) -> Future[AgeSummary]:
        return self._executor.submit(
            run_core,
            AGE,
            [],
            on_record=self.log.age_record,
            check=lambda: self._is_closing or self.log.must_stop(),
            steer=self.log,
        )

    def kept(self, kind: str) -> list[dict[str, object]]:
        return [payload for payload in payloads_of(self.run_id) if payload["type"] == kind]

    def close(self) -> None:
        """Ends the core too, which waits for lines when the test has failed before it sent them."""
        self._is_closing = True
        self._executor.shutdown()


@pytest.fixture
def aging(device_id: int, start_run: StartRun, monkeypatch: pytest.MonkeyPatch) -> Iterator[Aging]:
    """Yields a run whose row is read at every turn, not twice a second."""
    monkeypatch.setattr(native, "TICK_S", 0.02)
    monkeypatch.setattr(job_log, "WISHES_POLL_S", 0.0)
    run_id = start_run(device_id, max_seconds=3_600)
    claim = claim_of(run_id)
    with transaction() as session:
        run = session.get_one(Run, run_id)
        moved = journal.try_move(
            session=session, job=run, from_state=JobState.QUEUED, to_state=JobState.RUNNING, message="Started"
        )
    assert moved
    conditions = StopConditions(max_seconds=3_600)
    log = RunLog(
        job_id=run_id,
        claim=claim,
        steering=Steering(run_id=run_id, claim=claim, conditions=conditions, spent_s=600),
    )
    log.enter_phase(Phase.PREPARE, "Preparing")
    with claim.renewed():
        made = Aging(run_id, log)
        yield made
        made.close()


def _space(ops_count: int) -> Space:
    return Space(
        type="space",
        ops_count=ops_count,
        elapsed_s=1,
        device_bytes=8192,
        block_size_bytes=4096,
        cell_bytes=4096,
        free_blocks=[1, 0],
    )


def test_old_spaces_make_room_for_new_ones_and_nothing_else_is_lost(aging: Aging) -> None:
    for ops_count in range(MOST_SPACES_COUNT):
        aging.log.age_record(_space(ops_count))
        aging.log.step(f"step {ops_count}")

    assert len(aging.kept("space")) == MOST_SPACES_COUNT
    aging.log.age_record(_space(MOST_SPACES_COUNT))
    aging.log.step("the last")
    newest = range(MOST_SPACES_COUNT + 1 - RECENT_SPACES_COUNT, MOST_SPACES_COUNT + 1)
    assert [payload["ops_count"] for payload in aging.kept("space")] == list(newest)
    assert len(aging.kept("step")) == MOST_SPACES_COUNT + 1


def test_all_that_a_core_prints_is_in_the_journal_and_its_end_in_the_row(
    aging: Aging, scripted_core: ScriptedCore
) -> None:
    scripted_core.script("age").say(*golden("age"))

    aging.start().result()

    run = run_of(aging.run_id)
    printed = [json.loads(line) for line in golden("age")[1:]]
    stored = [payload for payload in payloads_of(aging.run_id) if payload["type"] != "state"]
    assert [p["type"] for p in stored] == [p["type"] for p in printed]
    assert [p.get("ops_count") for p in stored] == [p.get("ops_count") for p in printed]
    assert [change["phase"] for change in aging.kept("state")] == [None, None, "prepare", "rapid", "stable"]
    assert run.plan is not None
    assert run.plan["horizon_ops_count"] == printed[0]["horizon_ops_count"]
    assert run.summary is not None
    assert run.summary["ops_count"] == printed[-1]["ops_count"]
    assert (run.stop_reason, run.progress_fraction, run.eta_s) == (printed[-1]["stop_reason"], 1.0, None)


def test_a_run_shows_the_last_sample_while_its_core_goes_on(aging: Aging, scripted_core: ScriptedCore) -> None:
    script = scripted_core.script("age").say(HELLO, PLAN, SAMPLE)
    halt = script.halt()
    script.say(SUMMARY)

    run = aging.start()
    with halt.held(run.done):
        wait_until("the sample is stored", lambda: aging.kept("sample"))
        row, sample = run_of(aging.run_id), json.loads(SAMPLE)
        assert (row.phase, row.progress_fraction) == (sample["phase"], sample["progress_fraction"])
        assert row.eta_s == pytest.approx(sample["eta_s"])
    run.result()


def test_a_run_is_paused_once_its_core_says_so_and_goes_on_once_it_says_so(
    aging: Aging, scripted_core: ScriptedCore
) -> None:
    script = scripted_core.script("age").say(HELLO, PLAN, SAMPLE).hear("pause").say(CHECKPOINT)
    pausing = script.halt()
    script.say(control_line("pause")).hear("resume")
    resuming = script.halt()
    script.say(control_line("resume"), SUMMARY)

    run = aging.start()
    with transaction() as session:
        steering.pause_run(session=session, run_id=aging.run_id)
    with pausing.held(run.done):
        wait_until("the checkpoint is stored", lambda: aging.kept("checkpoint"))
        assert (run_of(aging.run_id).state, aging.log.is_paused) == (JobState.RUNNING, False)
    wait_until("the run is paused", lambda: run_of(aging.run_id).state == JobState.PAUSED)
    wait_until("its core may be silent", lambda: aging.log.is_paused)
    with transaction() as session:
        steering.resume_run(session=session, run_id=aging.run_id)
    with resuming.held(run.done):
        assert run_of(aging.run_id).state == JobState.PAUSED
    run.result()

    assert run_of(aging.run_id).state == JobState.RUNNING
    assert [control["line"] for control in aging.kept("control")] == ["pause", "resume"]


def test_other_conditions_are_in_force_once_the_core_has_taken_them(aging: Aging, scripted_core: ScriptedCore) -> None:
    """The core counts from its own start: of the 4000 s, 600 were spent before it."""
    script = scripted_core.script("age").say(HELLO, PLAN, SAMPLE).hear("max-seconds 3400.0").hear("max-rmse 0.25")
    halt = script.halt()
    script.say(control_line("max-seconds 3400.0"), control_line("max-rmse 0.25"), SUMMARY)

    run = aging.start()
    with transaction() as session:
        asked = StopConditions(max_rmse=0.25, max_seconds=4_000)
        steering.change_stop_conditions(session=session, run_id=aging.run_id, conditions=asked)
    with halt.held(run.done):
        assert run_of(aging.run_id).in_force.max_rmse is None
        assert run_of(aging.run_id).asked_conditions == asked.model_dump(mode="json")
    run.result()

    row = run_of(aging.run_id)
    assert (row.in_force.max_rmse, row.in_force.max_seconds, row.asked_conditions) == (0.25, 4_000, None)
    assert aging.log.conditions == asked


@pytest.mark.parametrize("row", ["plan", "conditions in force"])
def test_a_request_and_a_record_at_one_moment_do_not_block_each_other(aging: Aging, row: str) -> None:
    """Both change the job and the run: the second waits for the job, and holds nothing of the run meanwhile."""
    write = {
        "plan": lambda: aging.log.append_to_run(_space(1), plan={}),
        "conditions in force": lambda: aging.log.age_record(AGE.record.validate_json(control_line("max-rmse 0.25"))),
    }[row]
    asked = StopConditions(max_rmse=0.25, max_seconds=3_600)
    with transaction() as session:
        steering.change_stop_conditions(session=session, run_id=aging.run_id, conditions=asked)
    assert aging.log.must_stop() is False
    assert aging.log.lines() == ["max-rmse 0.25"]
    with ThreadPoolExecutor(1) as executor:
        with transaction() as session:
            session.execute(select(Job.id).where(Job.id == aging.run_id).with_for_update())
            written = executor.submit(write)
            wait_until("the record waits for the job", lambda: waiting_count() == 1)
            session.execute(text("SELECT FROM run WHERE id = :id FOR UPDATE NOWAIT"), {"id": aging.run_id})
        written.result()


def test_conditions_that_the_core_refuses_are_given_up_and_the_time_limit_stays(
    aging: Aging, scripted_core: ScriptedCore
) -> None:
    script = scripted_core.script("age").say(HELLO, PLAN, SAMPLE).hear("max-overwrites 2.0")
    script.say(control_line("max-overwrites 2.0", "not now"), SUMMARY)

    run = aging.start()
    with transaction() as session:
        asked = StopConditions(max_overwrites=2.0, max_seconds=3_600)
        steering.change_stop_conditions(session=session, run_id=aging.run_id, conditions=asked)
    run.result()

    row = run_of(aging.run_id)
    assert (row.in_force.max_overwrites, row.in_force.max_seconds, row.asked_conditions) == (None, 3_600, None)
    assert aging.kept("control") == [{"type": "control", "line": "max-overwrites 2.0", "message": "not now"}]


def test_a_canceled_run_stops_its_core_and_keeps_what_it_came_to(aging: Aging, scripted_core: ScriptedCore) -> None:
    canceled = json.dumps(json.loads(SUMMARY) | {"stop_reason": "canceled"})
    script = scripted_core.script("age").when_told_to_stop(canceled, status=0).say(HELLO, PLAN, SAMPLE)
    script.hang()

    run = aging.start()
    wait_until("the sample is stored", lambda: aging.kept("sample"))
    with transaction() as session:
        job_service.stop(session=session, job_id=aging.run_id)
    run.result()

    assert run_of(aging.run_id).stop_reason == "canceled"
    with pytest.raises(JobCanceled):
        aging.log.go_on()


def test_a_core_whose_device_is_anothers_by_now_is_killed_and_writes_nothing_more(
    aging: Aging, scripted_core: ScriptedCore
) -> None:
    script = scripted_core.script("age").ignore_stops().say(HELLO, PLAN)
    halt = script.halt()
    script.say(SAMPLE).hang()

    run = aging.start()
    with halt.held(run.done):
        wait_until("the plan is stored", lambda: aging.kept("plan"))
        with transaction() as session:  # as another worker that takes the lease over
            session.execute(update(Lease).where(Lease.id == lease_of(aging.run_id)).values(fence=Lease.fence + 1))

    with pytest.raises(LeaseLost):
        run.result()
    assert aging.kept("sample") == []
