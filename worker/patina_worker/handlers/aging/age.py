"""The director of an aging: ordered steps on one device, independent of Celery and of the states of a run."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from patina.bucket.client import bucket
from patina.core.contract.age import AGE, RESTORE, AgeRecord, AgeSummary, Baseline, RestoreSummary
from patina.core.contract.image import ROLLBACK, RollbackSummary
from patina.core.contract.phase import Phase, StopReason
from patina.core.contract.plan import Plan
from patina.core.contract.workload import RunPlan, WorkloadPlan
from patina.core.failure import CoreDied
from patina.core.record import Command, Result
from patina.core.supervised import run_core
from patina.errors import PatinaError
from patina.figures import in_bytes
from patina.run.recipe import Recipe
from patina.run.settings import AgeRequest, CoreSettings
from patina.settings import settings
from patina_worker.failure import DeviceChanged, JobCanceled, MkfsFailed, WorkerStopping
from patina_worker.handlers.aging.age_job import AgeJob, spent_s
from patina_worker.handlers.aging.baseline import baseline_of
from patina_worker.handlers.aging.extend import begin
from patina_worker.handlers.aging.options import try_options
from patina_worker.handlers.aging.recipe import completed, recipe_of
from patina_worker.handlers.aging.run_log import RunLog
from patina_worker.handlers.aging.steer import LEAST_SECONDS
from patina_worker.host import checkpoint, device_node, file_system, memory_device, operation_log, supported
from patina_worker.host.generation import generation_of
from patina_worker.host.layout import in_words
from patina_worker.host.predicted import PredictedParts
from patina_worker.host.write_check import check_may_destroy, check_may_write
from patina_worker.store.capture import Captured, capture
from patina_worker.store.contents_check import require_held
from patina_worker.store.held_image import written_device


def mount_folder(run_id: int) -> Path:
    """Returns the folder at which a run's file system is mounted."""
    return settings().state_dir / "mnt" / f"run-{run_id}"


def age(*, job: AgeJob, log: RunLog, lock: int) -> Captured:
    """Ages the device and captures a durable image. Unmounts the device, on errors too; `lock` holds it."""
    path = job.target.path
    log.enter_phase(Phase.PREPARE, f"Preparing {path}")
    _require_bucket()
    if job.settings.replay_of is not None:
        operation_log.required(job.settings.replay_of, survivors=job.settings.survivors)
    log.step(f"{path} is the device that was confirmed, and is not in use")
    if job.settings.in_memory:
        return _age_in_memory(job, log, lock)
    with log.stoppable():
        _extend(job, log, lock)
        captured = _age_at(path, job, log, lock)
        return captured if _is_whole(job) else _made_equal(job, captured, log, lock)


def _is_whole(job: AgeJob) -> bool:
    """Returns whether the image has all that the device holds. Of an emulated disk, `metadata` is all that it keeps."""
    mode = job.settings.capture_mode
    return mode == "exact" or (mode == "metadata" and job.target.drops_data)


def _age_in_memory(job: AgeJob, log: RunLog, lock: int) -> Captured:
    """Ages in memory. The memory file stays until its image is on the device, so that a killed worker loses nothing."""
    is_begun = (
        job.begun is not None and checkpoint.file_of(job.run_id).exists() and memory_device.file_of(job.run_id).exists()
    )
    check_may_destroy(job.target)
    if job.begun is not None and not is_begun:
        log.step("Nothing is left in memory to go on from; the run starts again from its plan")
    in_memory = memory_device.device(
        run_id=job.run_id,
        target=job.target,
        mode=job.settings.mode,
        data_mode=job.settings.data_mode,
        is_begun=is_begun,
    )
    with in_memory as place, log.stoppable():
        log.step(f"{place} in memory stands for {job.target.path}, which is not written to before the image is made")
        captured = _age_at(place, job if is_begun else replace(job, begun=None), log, lock)
        return _restored(job, captured, log, lock, own_uuid=file_system.uuid_on(place))


def _age_at(path: str, job: AgeJob, log: RunLog, lock: int) -> Captured:
    """Ages a new file system at `path`, or the one already begun there, and captures its image."""
    begun = _begun(path, job, log)
    recipe = begun or _begin(path, job, log, lock)
    log.has_written = log.has_written or not job.settings.in_memory
    kind = job.settings.file_system
    if not job.settings.in_memory:
        earlier = None if begun is None else job.prediction
        log.predict(PredictedParts(job.target, has_earlier=begun is not None, earlier=earlier))
    with file_system.mounted(kind, path, mount_folder(job.run_id), options=job.mount_options) as folder:
        log.step(f"Mounted with {job.mount_options}")
        plan, summary = _age_mounted(job, folder, log, lock)
    log.set_recipe(
        completed(recipe, plan, summary, log.conditions, job.settings.exact_ops_count if log.is_exact else None)
    )
    log.step("Unmounted")
    log.set_prediction()
    _stop_as_asked(summary, log)
    file_system.require_clean(kind, path, lock=lock)
    log.step("The file system is clean: its check found nothing to repair")
    baseline = _baseline(job, log)
    log.enter_phase(Phase.CAPTURE, "Capturing the device into the chunk store")
    captured = _capture(path, job, log, lock)
    if captured.layout is not None:
        captured = replace(captured, layout=captured.layout.model_copy(update={"baseline": baseline}))
    log.step(
        f"Captured {in_bytes(captured.summary.device_bytes)} in {captured.summary.elapsed_s:.2f} s: "
        f"{in_bytes(captured.summary.stored_bytes)} stored, {in_bytes(captured.summary.new_bytes)} of it new"
    )
    if captured.layout is not None:
        log.step(in_words(captured.layout))
    if job.settings.capture_mode != "exact":
        log.step("Proved: restored to a scratch file, it checks clean and has the device's layout")
    return captured


def _extend(job: AgeJob, log: RunLog, lock: int) -> None:
    """Takes over the checkpoint of the extended run, once."""
    if job.extended is None or checkpoint.file_of(job.run_id).exists():
        return
    begin(job.extended, run_id=job.run_id, target=job.target, say=log.step, check=log.must_stop, lock=lock)


def _begin(path: str, job: AgeJob, log: RunLog, lock: int) -> Recipe:
    """Makes an empty file system and returns its recipe."""
    supported.require(job.settings.file_system)
    try_options(job, folder=mount_folder(job.run_id))
    checkpoint.remove(job.run_id)
    operation_log.remove(job.run_id)
    own_uuid = file_system.new_uuid(job.settings.file_system, job.seed)
    if not job.settings.in_memory:
        _give_up_content(job, log, own_uuid)
        _wipe(job, log)
    made = file_system.make(
        job.settings.file_system,
        path,
        size_bytes=job.target.size_bytes,
        fs_uuid=own_uuid,
        lock=lock,
        added=job.settings.added_mkfs_options,
    )
    log.step(f"Made {job.settings.file_system} with UUID {made.uuid}: {' '.join(made.command)}")
    recipe = recipe_of(job, made)
    log.set_recipe(recipe)
    return recipe


def _begun(path: str, job: AgeJob, log: RunLog) -> Recipe | None:
    """Returns the recipe of the interrupted run; None when the run must begin again. Raises DeviceChanged."""
    if job.begun is None or not checkpoint.file_of(job.run_id).exists():
        return None
    found = file_system.uuid_on(path)
    if found != job.begun.file_system_uuid:
        raise DeviceChanged(
            f"{path} does not hold the file system that this run had begun to age "
            f"({job.begun.file_system_uuid}), but {found or 'none'}. Start a new run with the same settings."
        )
    if job.begun.mount_options != job.mount_options:
        raise DeviceChanged(
            f"This run was begun with the mount options {job.begun.mount_options}, and they are {job.mount_options} "
            "now. Start a new run with the same settings."
        )
    if file_system.is_cut_short(job.settings.file_system, path):
        _begin_again(path, job, log)
        return None
    log.step(f"{path} holds the file system that was begun; the run goes on from its checkpoint")
    return job.begun


def _begin_again(path: str, job: AgeJob, log: RunLog) -> None:
    """Restarts the plan after a power cut without a journal: the tree is not the checkpoint's. Or DeviceChanged."""
    cut = f"{path} was not unmounted and was aged without its journal: its content differs from the checkpoint"
    if job.extended is not None:
        raise DeviceChanged(f"{cut}. Restore the image of run {job.extended.run_id} to it, and extend that again.")
    log.step(f"{cut}. The run begins again from its plan")


def _made_equal(job: AgeJob, captured: Captured, log: RunLog, lock: int) -> Captured:
    """Zeroes on the device the bytes that the image leaves out, so that both are equal in every byte."""
    summary = _put_on_device(ROLLBACK, job, captured, log, lock)
    compared = "no byte compared: an emulated disk drops data" if job.target.is_emulated else "every byte compared"
    log.step(f"Zeroed {in_bytes(summary.touched_bytes)} that no file holds: the device holds the image, {compared}")
    return _held_since(captured, summary)


def _restored(job: AgeJob, captured: Captured, log: RunLog, lock: int, *, own_uuid: str | None) -> Captured:
    """Restores the image made in memory to the device, after the write check has passed again."""
    path = job.target.path
    log.enter_phase(Phase.RESTORE, f"Writing the image to {path}")
    log.go_on()
    check_may_write(job.target)
    _give_up_content(job, log, own_uuid)
    try:
        summary = _put_on_device(RESTORE, job, captured, log, lock)
    except (PatinaError, JobCanceled, WorkerStopping):
        log.step(f"Stopped half-way: {path} holds a part of the image at most")
        raise
    compared = f"{in_bytes(summary.verified_bytes)} read back and compared"
    if job.target.is_emulated:
        require_held(path, captured.layout, file_system=job.settings.file_system, check=log.must_stop, lock=lock)
        compared = "its layout is that of the image"
    log.step(f"Restored in {summary.elapsed_s:.2f} s: {in_bytes(summary.written_bytes)} written, {compared}")
    return _held_since(captured, summary)


def _held_since(captured: Captured, summary: RestoreSummary | RollbackSummary) -> Captured:
    """Returns the capture with the generation of the device that holds the image."""
    return replace(captured, summary=captured.summary.model_copy(update={"generation": summary.generation}))


def _put_on_device(command: Command[Any, Result], job: AgeJob, captured: Captured, log: RunLog, lock: int) -> Result:
    """Runs a command of the core that makes the device equal to the image."""
    index = settings().index_dir / captured.index_name
    argv = ["--index", str(index), "--index-digest", captured.summary.index_digest]
    argv += ["--store", str(settings().store_dir), *written_device(job.target)]
    return run_core(command, argv, on_record=log.observer().core_record, check=log.must_stop, inherit=(lock,))


def _baseline(job: AgeJob, log: RunLog) -> Baseline | None:
    survivors = operation_log.survivors_of(job.run_id)
    return baseline_of(job, survivors, folder=mount_folder(job.run_id), check=log.must_stop, say=log.step)


def _capture(path: str, job: AgeJob, log: RunLog, lock: int) -> Captured:
    return capture(
        path=path,
        name=f"run-{job.run_id}",
        file_system=job.settings.file_system,
        mode=job.settings.capture_mode,
        observer=log.observer(say=log.step),
        lock=lock,
    )


def _require_bucket() -> None:
    """Checks the bucket before hours of aging, not after."""
    remote = bucket()
    if remote is not None:
        remote.require()


def _give_up_content(job: AgeJob, log: RunLog, own_uuid: str | None) -> None:
    """Checks and stores the content that may be destroyed, right before the first write. `own_uuid`: UUID of the file
    system that the run makes; a resumed run recognises the device by it. Raises DeviceChanged."""
    target = job.target
    check_may_destroy(target)
    is_first = target.own_uuid is None  # later the device holds the run's own file system
    given_up_uuid = file_system.uuid_on(target.path) if is_first else target.given_up_uuid
    given_up_generation = generation_of(target.path) if is_first else target.given_up_generation
    log.will_hold(own_uuid, given_up_uuid=given_up_uuid, given_up_generation=given_up_generation)


def _wipe(job: AgeJob, log: RunLog) -> None:
    """Discards or zeroes the device, so that old bytes do not enter the new image."""
    path, size_bytes = job.target.path, job.target.size_bytes
    with device_node.opened_alone(path) as descriptor:
        try:
            if device_node.discard(descriptor, size_bytes):
                log.step(f"Discarded all {in_bytes(size_bytes)} of {path}")
            elif job.target.kind == "sandbox" and device_node.zero_out(descriptor, size_bytes):
                log.step(f"Wrote zeroes to all {in_bytes(size_bytes)} of {path}")
            else:
                log.step(f"{path} cannot discard: old bytes stay where mkfs does not write, and will be in the image")
        except OSError as error:
            raise MkfsFailed(f"{path} could not be discarded before mkfs: {error.strerror}.") from error


def _age_mounted(job: AgeJob, folder: Path, log: RunLog, lock: int) -> tuple[RunPlan, AgeSummary]:
    """Runs the core on the mounted file system."""
    plans: list[RunPlan] = []

    def _on_record(record: AgeRecord) -> None:
        log.age_record(record)
        if isinstance(record, Plan | WorkloadPlan):
            plans.append(record)

    file = checkpoint.folder() / f"run-{job.run_id}.request.json"
    asked = request_of(job, folder=folder)
    file.write_text(asked.model_dump_json(), encoding="utf-8")
    shown = asked.model_dump_json(exclude={"profile"}, exclude_none=True)
    argv = ["--request", str(file)]
    log.step(f"Started patina-core age {' '.join(argv)} with {shown}")
    try:
        summary = run_core(AGE, argv, on_record=_on_record, check=log.must_stop, inherit=(lock,), steer=log)
    finally:
        file.unlink(missing_ok=True)
    return plans[-1], summary


def request_of(job: AgeJob, *, folder: Path) -> AgeRequest:
    """Returns the request to the core."""
    noted, limit_s = checkpoint.file_of(job.run_id), job.settings.max_seconds
    replayed = job.settings.replay_of
    return AgeRequest(
        **job.settings.model_dump(include=set(CoreSettings.model_fields) - {"max_seconds"}),
        max_seconds=None if limit_s is None else max(limit_s - spent_s(job), LEAST_SECONDS),
        mount=str(folder),
        profile=job.profile,
        log=None if replayed is None else str(operation_log.required(replayed, survivors=job.settings.survivors)),
        record=str(operation_log.file_of(job.run_id)) if job.settings.keeps_log else None,
        checkpoint=str(noted),
        resume=str(noted) if noted.exists() else None,
        record_survivors=str(operation_log.survivors_of(job.run_id)),
    )


def _stop_as_asked(summary: AgeSummary, log: RunLog) -> None:
    """Raises JobCanceled or WorkerStopping after a requested stop; CoreDied when a foreign signal canceled the core."""
    log.go_on()
    if summary.stop_reason == StopReason.CANCELED:
        raise CoreDied("patina-core age was ended by a signal that did not come from Patina.")
