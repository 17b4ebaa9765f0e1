"""Steering a run: pause, other stop conditions, a stop while it is paused."""

from sqlalchemy import update
from sqlalchemy.orm import Session

from fixture_types import MIB, AgeHere, MakeSandbox, StartRun
from gates import Gates
from observe import assert_device_is_free, claim_of, payloads_of, run_of, samples_count, wait_for_end
from patina.core.contract.age import Control
from patina.db import transaction
from patina.job import service as job_service
from patina.job.state import JobState
from patina.run import steering
from patina.run.models import Run
from patina.run.settings import StopConditions
from patina_dev.testing.wait import wait_until
from patina_worker.handlers.aging.steer import Steering, Wishes

SIZE_BYTES = 64 * MIB


def _pause(run_id: int) -> None:
    with transaction() as session:
        steering.pause_run(session=session, run_id=run_id)


def _wait_for_pause(run_id: int) -> None:
    wait_until("the run is paused", lambda: run_of(run_id).state == JobState.PAUSED)


def _ask(run_id: int, **conditions: float) -> None:
    with transaction() as session:
        asked = StopConditions.model_validate(conditions)
        steering.change_stop_conditions(session=session, run_id=run_id, conditions=asked)


def test_a_paused_run_does_nothing_until_it_goes_on(
    age_here: AgeHere, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    gate = gates.close("age.stable")
    run_id = start_run(device_id, "slow")
    age_here(run_id)
    with gate.held(run_id):
        _pause(run_id)
    _wait_for_pause(run_id)

    said = payloads_of(run_id)
    assert said[-3]["type"] == "checkpoint"
    assert said[-2] == {"type": "control", "line": "pause", "message": None}
    _ask(run_id, max_seconds=10_000.0)
    wait_until("the conditions are in force", lambda: run_of(run_id).asked_conditions is None)
    assert run_of(run_id).in_force.max_seconds == 10_000.0
    assert [p["type"] for p in payloads_of(run_id)[len(said) :]] == ["control"]

    before_count = samples_count(run_id)
    again = gates.close("age.stable")
    with transaction() as session:
        steering.resume_run(session=session, run_id=run_id)
    with again.held(run_id):
        wait_until("it ages again", lambda: samples_count(run_id) > before_count)
        assert run_of(run_id).state == JobState.RUNNING
        _pause(run_id)
    _wait_for_pause(run_id)
    with transaction() as session:
        job_service.stop(session=session, job_id=run_id)
    assert wait_for_end(run_id).state == JobState.CANCELED
    assert_device_is_free(device_id)


def test_other_stop_conditions_end_a_run_and_stand_in_its_recipe(
    age_here: AgeHere, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    gate = gates.close("age.stable")
    run_id = start_run(make_sandbox(SIZE_BYTES), "slow", max_seconds=3_600)
    age_here(run_id)
    with gate.held(run_id):
        _ask(run_id, max_rmse=0.9)

    run = wait_for_end(run_id)
    assert (run.state, run.stop_reason) == (JobState.SUCCEEDED, "accuracy_reached"), run.message
    assert (run.in_force.max_rmse, run.in_force.max_seconds, run.asked_conditions) == (0.9, None, None)
    assert run.recipe is not None
    assert (run.recipe["max_rmse"], run.recipe["max_seconds"]) == (0.9, None)
    assert len(run.recipe["legs"]) == 1
    phases = [p["phase"] for p in payloads_of(run_id) if p["type"] == "state"]
    assert phases.index("stable") == len(phases) - 1 - phases[::-1].index("stable"), phases


def test_a_run_ends_after_the_time_that_it_was_given(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    from patina_worker import tasks

    run_id = start_run(make_sandbox(SIZE_BYTES), "slow", max_seconds=0.2)

    tasks.work(run_id)

    run = run_of(run_id)
    assert (run.state, run.stop_reason) == (JobState.SUCCEEDED, "time_reached"), run.message


def test_conditions_that_the_core_refuses_are_given_up(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    run_id = start_run(make_sandbox(SIZE_BYTES), "slow", max_rmse=0.01)
    asked = StopConditions(max_overwrites=2.0)
    steer = Steering(run_id=run_id, claim=claim_of(run_id), conditions=StopConditions(max_rmse=0.01), spent_s=0)
    with transaction() as session:
        _wish(session, run_id, asked)

    wishes = Wishes(is_pause=False, conditions=asked)
    assert steer.lines_for(wishes) == ["max-overwrites 2.0"]
    assert steer.lines_for(wishes) == []
    steer.hear(Control(type="control", line="max-overwrites 2.0", message="not now"))

    run = run_of(run_id)
    assert (run.in_force.max_rmse, run.in_force.max_overwrites, run.asked_conditions) == (0.01, None, None)


def test_a_wish_that_comes_while_another_is_granted_is_not_lost(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    run_id = start_run(make_sandbox(SIZE_BYTES), "slow")
    steer = Steering(run_id=run_id, claim=claim_of(run_id), conditions=StopConditions(), spent_s=4)
    first, second = StopConditions(max_seconds=5.0, max_rmse=0.1), StopConditions()
    assert steer.lines_for(Wishes(is_pause=False, conditions=first)) == [
        "max-seconds 1.0",
        "max-rmse 0.1",
    ]
    with transaction() as session:
        _wish(session, run_id, second)

    steer.hear(Control(type="control", line="max-rmse 0.1", message=None))

    run = run_of(run_id)
    assert (run.in_force.max_rmse, run.in_force.max_seconds) == (0.1, 5.0)
    assert run.asked_conditions == second.model_dump(mode="json")
    wishes = Wishes(is_pause=False, conditions=second)
    assert steer.lines_for(wishes) == ["max-seconds 0", "converge"]


def _wish(session: Session, run_id: int, asked: StopConditions) -> None:
    session.execute(update(Run).where(Run.id == run_id).values(asked_conditions=asked.model_dump(mode="json")))
