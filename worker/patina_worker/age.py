"""The director of an aging: ordered steps on one device. It knows neither Celery nor the states of a run."""

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

from patina import __version__
from patina.cli.figures import in_bytes
from patina.forecast.plan import Plan
from patina.image.record import RollbackRecord, RollbackSummary, rollback_record
from patina.profile import service as profile_service
from patina.run.event import AgeRecord, AgeSummary, CaptureMode, age_record
from patina.run.models import Run
from patina.run.recipe import Recipe
from patina.run.schemas import StopConditions
from patina.run.state import Phase, StopReason
from patina.settings import settings
from patina.store.bucket import bucket
from patina_worker import checkpoint, ext4, fsck, node, tools
from patina_worker.capture import Captured, capture
from patina_worker.extend import Extended, begin
from patina_worker.failure import CoreDied, CoreFailed, DeviceChanged, Stopped
from patina_worker.layout import in_words
from patina_worker.native import run_core
from patina_worker.run_log import RunLog
from patina_worker.safety import Target, check_may_write, target_of
from patina_worker.steer import LEAST_SECONDS


@dataclass(frozen=True)
class AgeJob:
    """What was asked for: everything the director needs, nothing from the database."""

    run_id: int
    target: Target
    profile: dict[str, object]
    profile_version_number: int
    file_system: str
    fullness: float
    seed: int
    data_mode: str
    capture_mode: CaptureMode
    threads_count: int
    max_rmse: float | None
    max_overwrites: float | None
    max_seconds: float | None
    begun: Recipe | None  # what an interrupted run had made already, or the run that it extends
    extended: Extended | None


def job_of(run: Run, *, extended: Extended | None) -> AgeJob:
    """The job of a row, while its session is open."""
    device, version = run.device, run.profile_version
    return AgeJob(
        run_id=run.id,
        target=target_of(device, run.confirmed),
        profile=profile_service.document_of(version),
        profile_version_number=version.number,
        file_system=run.file_system,
        fullness=run.fullness,
        seed=run.seed,
        data_mode=run.data_mode,
        capture_mode=run.capture_mode,
        threads_count=run.threads_count,
        max_rmse=run.max_rmse,
        max_overwrites=run.max_overwrites,
        max_seconds=run.max_seconds,
        begun=None if run.recipe is None else Recipe.model_validate(run.recipe),
        extended=extended,
    )


def conditions_of(job: AgeJob) -> StopConditions:
    """What may end the run before its plan does."""
    return StopConditions(max_rmse=job.max_rmse, max_overwrites=job.max_overwrites, max_seconds=job.max_seconds)


def mount_folder(run_id: int) -> Path:
    """Where a run's file system is mounted meanwhile."""
    return settings().state_dir / "mnt" / f"run-{run_id}"


def age(*, job: AgeJob, log: RunLog) -> Captured:
    """From a device to a durable image of it, aged. Whatever happens, the device ends unmounted and unlocked."""
    path = job.target.path
    log.enter(Phase.PREPARE, f"Preparing {path}")
    with node.held(path) as lock:
        check_may_write(job.target)
        _require_bucket()
        log.step(f"{path} is the device that was confirmed, and nobody else uses it")
        _extend(job, log, lock)
        recipe = _begun(job, log) or _begin(job, log, lock)
        with ext4.mounted(path, mount_folder(job.run_id)) as folder:
            log.step(f"Mounted with {ext4.MOUNT_OPTIONS}")
            plan, summary = _age_mounted(job, folder, log, lock)
        log.set_recipe(_completed(recipe, plan, summary, log.conditions))
        log.step("Unmounted")
        _stop_as_asked(summary, log)
        fsck.check(path, file_system=job.file_system, lock=lock)
        log.step("The file system is clean: its check found nothing to repair")
        log.enter(Phase.CAPTURE, "Capturing the device into the chunk store")
        captured = _capture(job, log, lock)
        log.step(
            f"Captured {in_bytes(captured.summary.device_bytes)} in {captured.summary.elapsed_s:.2f} s: "
            f"{in_bytes(captured.summary.stored_bytes)} stored, {in_bytes(captured.summary.new_bytes)} of it new"
        )
        if captured.layout is not None:
            log.step(in_words(captured.layout))
        if job.capture_mode == "exact":
            return captured
        log.step("Proved: restored to a scratch file, it checks clean and has the device's layout")
        return _made_equal(job, captured, log, lock)


def _extend(job: AgeJob, log: RunLog, lock: int) -> None:
    """Take over from the run that is extended, once."""
    if job.extended is None or checkpoint.file_of(job.run_id).exists():
        return
    begin(job.extended, run_id=job.run_id, path=job.target.path, say=log.step, check=log.must_stop, lock=lock)


def _begin(job: AgeJob, log: RunLog, lock: int) -> Recipe:
    """An empty file system."""
    checkpoint.remove(job.run_id)
    _wipe(job, log)
    made = ext4.make(job.target.path, seed=job.seed, lock=lock)
    log.step(f"Made ext4 with UUID {made.uuid}: {' '.join(made.command)}")
    recipe = _recipe(job, made)
    log.set_recipe(recipe)
    return recipe


def _begun(job: AgeJob, log: RunLog) -> Recipe | None:
    """What the run had made before it was interrupted; None when it has to begin anew. DeviceChanged."""
    if job.begun is None or not checkpoint.file_of(job.run_id).exists():
        return None
    found = ext4.uuid_on(job.target.path)
    if found != job.begun.file_system_uuid:
        raise DeviceChanged(
            f"{job.target.path} does not hold the file system that this run had begun to age "
            f"({job.begun.file_system_uuid}), but {found or 'none'}. Start a new run with the same settings."
        )
    log.step(f"{job.target.path} holds the file system that was begun; the run goes on from its checkpoint")
    return job.begun


def _made_equal(job: AgeJob, captured: Captured, log: RunLog, lock: int) -> Captured:
    """Zero on the device what the image left out, so that it holds the image to the last byte."""
    summaries: list[RollbackSummary] = []

    def _on_record(record: RollbackRecord) -> None:
        if isinstance(record, RollbackSummary):
            summaries.append(record)
        else:
            log.capture_record(record)

    index = settings().index_dir / captured.index_name
    argv = ["rollback", "--index", str(index), "--index-digest", captured.summary.index_digest]
    argv += ["--store", str(settings().store_dir), "--device", job.target.path]
    try:
        run_core(argv, adapter=rollback_record, on_record=_on_record, check=log.must_stop, inherit=(lock,))
    except CoreFailed:
        log.go_on()  # it may have stopped as we asked
        raise
    summary = summaries[-1]
    log.step(
        f"Zeroed {in_bytes(summary.touched_bytes)} that no file holds: the device holds the image, every byte compared"
    )
    return replace(captured, summary=captured.summary.model_copy(update={"generation": summary.generation}))


def _capture(job: AgeJob, log: RunLog, lock: int) -> Captured:
    try:
        return capture(
            path=job.target.path,
            name=f"run-{job.run_id}",
            file_system=job.file_system,
            mode=job.capture_mode,
            on_record=log.capture_record,
            check=log.must_stop,
            say=log.step,
            lock=lock,
        )
    except (CoreFailed, Stopped):
        log.go_on()  # it may have stopped as we asked
        raise


def _require_bucket() -> None:
    """A bucket that refuses is found out before hours of aging, not after."""
    remote = bucket()
    if remote is not None:
        remote.require()


def _wipe(job: AgeJob, log: RunLog) -> None:
    """Old bytes must not end up in the new image."""
    path, size_bytes = job.target.path, job.target.size_bytes
    with node.opened_alone(path) as descriptor:
        if node.discard(descriptor, size_bytes):
            log.step(f"Discarded all {size_bytes} bytes of {path}")
        elif job.target.kind == "sandbox" and node.zero_out(descriptor, size_bytes):
            log.step(f"Wrote zeroes to all {size_bytes} bytes of {path}")
        else:
            log.step(f"{path} cannot discard: old bytes stay where mkfs does not write, and will be in the image")


def _age_mounted(job: AgeJob, folder: Path, log: RunLog, lock: int) -> tuple[Plan, AgeSummary]:
    """Run the core on the mounted file system."""
    plans: list[Plan] = []
    summaries: list[AgeSummary] = []

    def _on_record(record: AgeRecord) -> None:
        log.age_record(record)
        if isinstance(record, Plan):
            plans.append(record)
        elif isinstance(record, AgeSummary):
            summaries.append(record)

    profile = checkpoint.folder() / f"run-{job.run_id}.profile.json"
    profile.write_text(json.dumps(job.profile), encoding="utf-8")
    argv = _age_argv(job, folder=folder, profile=profile)
    log.step(f"Started patina-core {' '.join(argv)}")
    try:
        run_core(argv, adapter=age_record, on_record=_on_record, check=log.must_stop, inherit=(lock,), steer=log)
    finally:
        profile.unlink(missing_ok=True)
    return plans[-1], summaries[-1]


def _age_argv(job: AgeJob, *, folder: Path, profile: Path) -> list[str]:
    noted = checkpoint.file_of(job.run_id)
    argv = ["age", "--mount", str(folder), "--profile", str(profile), "--checkpoint", str(noted)]
    if noted.exists():
        argv += ["--resume", str(noted)]
    argv += ["--fullness", repr(job.fullness), "--seed", str(job.seed)]
    argv += ["--threads", str(job.threads_count), "--data", job.data_mode]
    if job.max_rmse is not None:
        argv += ["--max-rmse", repr(job.max_rmse)]
    elif job.max_overwrites is not None:
        argv += ["--max-overwrites", repr(job.max_overwrites)]
    if job.max_seconds is not None:
        argv += ["--max-seconds", repr(max(job.max_seconds - spent_s(job), LEAST_SECONDS))]
    return argv


def spent_s(job: AgeJob) -> float:
    """Seconds of aging that count against the run's limit, before this core."""
    before_s = 0.0 if job.extended is None else job.extended.elapsed_s
    return max(0.0, checkpoint.elapsed_s(job.run_id) - before_s)


def _stop_as_asked(summary: AgeSummary, log: RunLog) -> None:
    """A core that was told to stop says so; when nobody of ours told it, somebody else's signal did."""
    log.go_on()
    if summary.stop_reason == StopReason.CANCELED:
        raise CoreDied("patina-core age was ended by a signal that did not come from Patina.")


def _recipe(job: AgeJob, made: ext4.Made) -> Recipe:
    """What is known once the file system is made."""
    return Recipe(
        schema_version=1,
        profile=str(job.profile["name"]),
        profile_version_number=job.profile_version_number,
        profile_digest=None,
        capacity_bytes=None,
        block_size_bytes=None,
        device_size_bytes=job.target.size_bytes,
        device_model=job.target.model,
        file_system=job.file_system,
        file_system_uuid=made.uuid,
        mkfs_command=made.command,
        mkfs_features=made.features,
        mount_options=ext4.MOUNT_OPTIONS,
        fullness=job.fullness,
        seed=job.seed,
        horizon_ops_count=None,
        data_mode=job.data_mode,
        threads_count=job.threads_count,
        max_rmse=job.max_rmse,
        max_overwrites=job.max_overwrites,
        max_seconds=job.max_seconds,
        legs=[],
        plan_digest=None,
        kernel=os.uname().release,
        host=settings().host_name,
        patina_version=__version__,
        tools=tools.versions(),
    )


def _completed(recipe: Recipe, plan: Plan, summary: AgeSummary, conditions: StopConditions) -> Recipe:
    """With what the core found out."""
    return recipe.model_copy(
        update={
            "profile_digest": plan.profile_digest,
            "capacity_bytes": plan.capacity_bytes,
            "block_size_bytes": plan.block_size_bytes,
            "horizon_ops_count": plan.horizon_ops_count,
            "plan_digest": summary.plan_digest,
            "legs": summary.legs,
            **conditions.model_dump(),
        }
    )
