"""Runs with a workload instead of a profile, and the twins that replay their operation logs."""

import os

from sqlalchemy import select, update

from fixture_types import MIB, MakeSandbox, StartRun
from observe import assert_device_is_free, payloads_of, run_of
from patina.core.contract.workload import WorkloadPlan
from patina.db import transaction
from patina.image.models import Image
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run
from patina.run.recipe import Recipe
from patina.use_case import delete_image as deletion
from patina_worker.host import operation_log
from test_gc import collected, long_ago


def _aged(run_id: int) -> Run:
    from patina_worker import tasks

    tasks.work(run_id)
    run = run_of(run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)
    assert_device_is_free(run.device_id)
    return run


def _fsfb(rounds_count: int = 4) -> dict[str, object]:
    return {"workload": "fsfb", "rounds_count": rounds_count, "fullness": 0.6, "keeps_log": True}


def _replay_of(run_id: int, *, survivors: bool) -> dict[str, object]:
    return {"workload": "replay", "replay_of": run_id, "survivors": survivors, "fullness": None}


def test_an_fsfb_run_measures_the_free_space_at_the_end_of_every_round(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run = _aged(start_run(make_sandbox(64 * MIB), None, **_fsfb()))
    assert (run.stop_reason, run.profile_version_id, run.age_rmse) == ("completed", None, None)
    assert WorkloadPlan.model_validate(run.plan).workload == "fsfb"
    layouts = [payload for payload in payloads_of(run.id) if payload["type"] == "layout"]
    assert [layout["rounds_count"] for layout in layouts if layout["rounds_count"] is not None] == [0, 1, 2, 3, 4]
    assert run.summary is not None
    assert run.summary["disk"]["files_count"] == run.summary["live_files_count"]
    recipe = Recipe.model_validate(run.recipe)
    assert (recipe.workload, recipe.rounds_count, recipe.profile, recipe.profile_digest) == ("fsfb", 4, None, None)
    with transaction() as session:
        image = session.scalars(select(Image).where(Image.run_id == run.id)).one()
        assert (image.workload, image.name) == ("fsfb", f"fsfb-60-ext4-{run.id}")


def test_twins_replay_the_whole_log_and_its_survivors_on_other_devices(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    recorded = _aged(start_run(make_sandbox(64 * MIB), None, **_fsfb()))
    assert recorded.operation_log_bytes == operation_log.file_of(recorded.id).stat().st_size > 0
    empty = _aged(start_run(make_sandbox(256 * MIB), None, **_replay_of(recorded.id, survivors=False)))
    unaged = _aged(start_run(make_sandbox(64 * MIB), None, **_replay_of(recorded.id, survivors=True)))

    summaries = [run.summary for run in (recorded, empty, unaged)]
    assert all(summary is not None for summary in summaries)
    of_recorded, of_empty, of_unaged = [summary or {} for summary in summaries]
    assert of_empty["plan_digest"] == of_recorded["plan_digest"]
    assert {summary["live_bytes"] for summary in (of_recorded, of_empty, of_unaged)} == {of_recorded["live_bytes"]}
    assert (of_empty["ops_count"], of_unaged["ops_count"]) == (
        of_recorded["ops_count"],
        of_recorded["live_files_count"],
    )
    for twin in (empty, unaged):
        assert Recipe.model_validate(twin.recipe).recorded_digest == of_recorded["plan_digest"]
        assert twin.operation_log_bytes is None
    fragments = [summary["free_extents"]["extents_count"] for summary in (of_recorded, of_unaged)]
    assert fragments[0] > fragments[1], "the survivors, created once and in order, leave fewer free extents"


def test_a_log_that_another_database_left_under_the_number_of_a_run_is_not_its_own(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox(64 * MIB), None, **_fsfb(1) | {"keeps_log": False})
    operation_log.file_of(run_id).write_bytes(b"of another run")
    run = _aged(run_id)
    assert run.operation_log_bytes is None
    assert not operation_log.file_of(run_id).exists()


def test_churn_ages_by_its_number_of_operations(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    run = _aged(start_run(make_sandbox(64 * MIB), None, workload="churn", ops_count=3000, fullness=0.5))
    assert run.summary is not None
    assert (run.stop_reason, run.summary["ops_count"]) == ("completed", 3000)


def test_a_log_that_is_gone_fails_the_replay_before_the_device_is_written_to(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import tasks

    recorded = _aged(start_run(make_sandbox(64 * MIB), None, **_fsfb()))
    device_id = make_sandbox(64 * MIB)
    run_id = start_run(device_id, None, **_replay_of(recorded.id, survivors=False))
    operation_log.file_of(recorded.id).unlink()
    tasks.work(run_id)
    run = run_of(run_id)
    assert (run.state, run.error_code) == (JobState.FAILED, "operation_log_missing")
    assert run.recipe is None
    assert_device_is_free(device_id)


def test_a_log_is_collected_once_the_image_of_its_run_cannot_be_brought_back(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    recorded = _aged(start_run(make_sandbox(64 * MIB), None, **_fsfb()))
    file = operation_log.file_of(recorded.id)
    unfinished = file.with_name(file.name + ".tmp")
    unfinished.touch()
    survivors = operation_log.survivors_of(recorded.id)
    assert survivors.exists()
    for old in (file, unfinished, survivors):
        os.utime(old, (0, 0))
    assert collected().state == JobState.SUCCEEDED
    assert file.exists()
    with transaction() as session:
        image_id = session.scalars(select(Image.id).where(Image.run_id == recorded.id)).one()
        deletion.delete_image(session=session, image_id=image_id)
    long_ago()
    replay_id = start_run(make_sandbox(64 * MIB), None, **_replay_of(recorded.id, survivors=False))
    assert collected().state == JobState.SUCCEEDED
    assert file.exists(), "a replay is queued"
    with transaction() as session:
        session.execute(update(Job).where(Job.id == replay_id).values(state=JobState.CANCELED))
    assert collected().state == JobState.SUCCEEDED
    assert not file.exists()
    assert not survivors.exists()
    assert not unfinished.exists(), "the remains of a core that was killed"
    assert run_of(recorded.id).operation_log_bytes is None
