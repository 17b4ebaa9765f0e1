"""The directors of actions: restore, verify, trace, roll back and capture, each a sequence of steps."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from sqlalchemy.orm import Session

from patina.core.contract.age import RESTORE, Layout
from patina.core.contract.delta import DELTA, TRACE, Armed, DeltaSummary, TraceProgress, TraceSummary
from patina.core.contract.image import ROLLBACK, VERIFY
from patina.core.failure import CoreFailed, StepFailed
from patina.core.record import Command, Result
from patina.core.supervised import run_core
from patina.delta import service as delta_service
from patina.delta.models import Delta, Holding
from patina.device.models import Device
from patina.device_action.models import Action
from patina.figures import in_bytes
from patina.file_name import file_below
from patina.image import service as image_service
from patina.image.models import Image
from patina.settings import settings
from patina_worker import stopping
from patina_worker.failure import NotComparable
from patina_worker.host import probe
from patina_worker.host.generation import generation_of
from patina_worker.host.mounts import all_mounts
from patina_worker.host.write_check import (
    Target,
    check_is_as_it_was_confirmed,
    check_is_the_disk_that_was_seen,
    check_may_destroy,
    target_of,
)
from patina_worker.jobs.log import JobLog
from patina_worker.jobs.outcome import Done
from patina_worker.store.capture import Captured
from patina_worker.store.capture import capture as capture_device
from patina_worker.store.contents_check import require_held
from patina_worker.store.fetch import fetch_image, fetch_index
from patina_worker.store.held_image import written_device
from patina_worker.store.tracing import file_stem


@dataclass(frozen=True)
class ActionJob:
    """A director's input, independent of the database."""

    action_id: int
    device_id: int
    target: Target
    image_id: int
    image_name: str
    file_system: str | None
    index_name: str
    index_digest: str
    generation: str  # of the device when it held the image; empty: not known
    layout: Layout | None  # of the image
    delta_file: str | None
    is_covered: bool  # of a rollback: a trace recorded every write


def _job(session: Session, job_id: int) -> ActionJob:
    action = session.get_one(Action, job_id)
    device, image = action.device, action.image
    holding = delta_service.held(session=session, device_id=device.id)
    return ActionJob(
        action_id=action.id,
        device_id=device.id,
        target=target_of(device, action.confirmed or {}),
        image_id=image.id,
        image_name=image.name,
        file_system=image.file_system if _may_be_mounted(image) else None,
        index_name=image.index_name,
        index_digest=image.index_digest,
        generation=holding.generation if holding is not None else "",
        layout=None if image.layout is None else Layout.model_validate(image.layout),
        delta_file=action.delta.file_name if action.delta else None,
        is_covered=_is_covered(action, holding),
    )


def _is_covered(action: Action, holding: Holding | None) -> bool:
    is_complete = action.delta is not None and action.delta.incomplete_reason is None
    return is_complete and holding is not None and holding.doubt is None


def _may_be_mounted(image: Image) -> bool:
    """Returns whether the kernel may mount the image to measure it: an imported one only if its check was clean."""
    return image.intake is None or image.intake.get("is_clean") is True


def handler(director: Callable[[ActionJob, JobLog, int], Done]) -> Callable[[BaseModel, JobLog, int], Done]:
    """Returns the handler that runs the director."""

    def _handle(_: BaseModel, log: JobLog, lock: int) -> Done:
        return director(log.write(lambda session: _job(session, log.job_id)), log, lock)

    return _handle


def restore(job: ActionJob, log: JobLog, lock: int) -> Done:
    _fetch(job, log)
    check_may_destroy(job.target)
    log.has_written = True
    log.write(lambda session: delta_service.forget(session=session, device_id=job.device_id))
    argv = [*_of_image(job), "--store", str(settings().store_dir), *written_device(job.target)]
    summary = _run(RESTORE, argv, log, lock)
    how = _require_held(job, log, lock) if job.target.is_emulated else "every byte verified"
    _hold(job, log, generation_of(job.target.path) if job.target.is_emulated else summary.generation)
    said = f"Restored in {_in_time(summary.elapsed_s)}: {in_bytes(summary.written_bytes)} written, {how}"
    return Done(said, summary)


def _require_held(job: ActionJob, log: JobLog, lock: int) -> str:
    """Checks what can be checked on an emulated disk, whose data are generated. Returns what was checked."""
    if job.file_system is None:
        return "no byte compared: an emulated disk drops data"
    require_held(job.target.path, job.layout, file_system=job.file_system, check=log.must_stop, lock=lock)
    return "clean" if job.layout is None else "clean, with the layout of the image"


def _fetch(job: ActionJob, log: JobLog) -> None:
    """Fetches the parts of the image that this host lacks from the bucket."""
    fetch_image(name=job.index_name, digest=job.index_digest, observer=log.observer())


def verify(job: ActionJob, log: JobLog, lock: int) -> Done:
    fetch_index(name=job.index_name, digest=job.index_digest, observer=log.observer())
    if job.target.is_emulated:
        raise NotComparable(
            f"Device {job.target.path} is an emulated disk, which drops file data: its bytes are not those of the "
            "image. A restore checks its file system and layout."
        )
    argv = [*_of_image(job), "--device", job.target.path]
    try:
        summary = _run(VERIFY, argv, log, lock)
    except CoreFailed as error:
        if error.code == "verify_mismatch":
            log.write(lambda session: _differs(session, job))
        raise
    _hold(job, log, summary.generation or "")
    said = f"Verified in {_in_time(summary.elapsed_s)}: every byte compared with image {job.image_name}"
    return Done(said, summary)


def _differs(session: Session, job: ActionJob) -> None:
    """Marks the holding as differing, unless a trace recorded the difference already."""
    holding = delta_service.held(session=session, device_id=job.device_id)
    if holding is not None and holding.image_id == job.image_id and holding.delta_id is None:
        holding.differs = True


def rollback(job: ActionJob, log: JobLog, lock: int) -> Done:
    _fetch(job, log)
    if job.is_covered:
        check_is_the_disk_that_was_seen(job.target)
        check_is_as_it_was_confirmed(job.target)
    else:
        check_may_destroy(job.target)
    log.has_written = True
    argv = [*_of_image(job), "--store", str(settings().store_dir), *written_device(job.target)]
    delta = file_below(settings().delta_dir, job.delta_file) if job.delta_file else None
    if delta is not None and delta.exists():
        argv += ["--delta", str(delta)]
    summary = _run(ROLLBACK, argv, log, lock)
    _hold(job, log, summary.generation)
    how = "the traced blocks" if summary.compared == "touched" else f"everything was compared: {summary.full_reason}"
    said = f"Rolled back in {_in_time(summary.elapsed_s)}: {in_bytes(summary.touched_bytes)} rewritten, {how}"
    return Done(said, summary)


def trace(job: ActionJob, log: JobLog, lock: int) -> Done:
    """Traces until a stop is requested while the device is free. The row marks the delta incomplete at first, in case
    this process dies."""
    folder = settings().delta_dir
    folder.mkdir(parents=True, exist_ok=True)
    name = file_stem(job.action_id)
    trace = folder / f"{name}.trace"
    delta_id = log.write(lambda session: _expect_delta(session, job, f"{name}.delta"))
    argv = ["--device", job.target.path, "--out", str(trace)]
    argv += ["--generation", job.generation] if job.generation else []
    failure: StepFailed | None = None
    seen: TraceSummary | None = None
    try:
        seen = _run(TRACE, argv, log, lock, check=_end_of_trace(job, log))
    except StepFailed as error:
        if not log.has_written:  # not armed
            trace.unlink(missing_ok=True)
            log.write(lambda session: _expect_no_delta(session, job, delta_id))
            raise
        failure = error  # the trace so far still makes a delta, which is marked incomplete
    summary = _make_delta(job, log, lock, trace=trace, delta=folder / f"{name}.delta") if trace.exists() else None
    trace.unlink(missing_ok=True)
    if summary is not None:
        done = summary
        log.write(lambda session: _complete_delta(session, delta_id, done))
    if failure is not None:
        raise failure
    assert summary is not None
    assert seen is not None
    if summary.incomplete_reason is None:
        return Done(f"Traced: {in_bytes(summary.touched_bytes)} touched", seen)
    why = summary.incomplete_reason.replace("_", " ")
    said = f"Traced, but not all of it was seen ({why}): a rollback will compare everything"
    return Done(said, seen)


def _end_of_trace(job: ActionJob, log: JobLog) -> Callable[[], bool]:
    """Returns the check of an armed trace. It declines a user's request while the device is mounted: later writes would
    be missing. A shutdown of the worker ends the trace in every case."""
    is_ending = False

    def _must_end() -> bool:
        nonlocal is_ending
        if is_ending or not log.must_stop():
            return is_ending
        block = probe.find_device(job.target.path) if log.has_written and not stopping.is_announced() else None
        claimed = None if block is None else probe.why_claimed(block, all_mounts())
        is_ending = claimed is None
        if claimed is not None:
            what = f"{job.target.path} is still {claimed}"
            log.decline_stop(f"The trace goes on: {what}. Unmount or release it first, then stop the trace.")
        return is_ending

    return _must_end


def _make_delta(job: ActionJob, log: JobLog, lock: int, *, trace: Path, delta: Path) -> DeltaSummary:
    argv = ["--trace", str(trace), "--device-size", str(job.target.size_bytes), "--out", str(delta)]
    return run_core(DELTA, argv, check=log.must_go, inherit=(lock,))


def _expect_delta(session: Session, job: ActionJob, file_name: str) -> int:
    holding = delta_service.require_held(session=session, device_id=job.device_id)
    delta = delta_service.expect(session=session, holding=holding, file_name=file_name)
    session.get_one(Action, job.action_id).delta_id = delta.id
    return delta.id


def _expect_no_delta(session: Session, job: ActionJob, delta_id: int) -> None:
    """Removes the expected delta: the trace was never armed, so no write was announced."""
    session.get_one(Action, job.action_id).delta_id = None
    delta_service.unexpect(session=session, delta=session.get_one(Delta, delta_id))


def _complete_delta(session: Session, delta_id: int, summary: DeltaSummary) -> None:
    delta_service.complete(session=session, delta=session.get_one(Delta, delta_id), summary=summary)


def _in_time(elapsed_s: float) -> str:
    return f"{elapsed_s * 1000:.0f} ms" if elapsed_s < 1 else f"{elapsed_s:.1f} s"


def _of_image(job: ActionJob) -> list[str]:
    return ["--index", str(file_below(settings().index_dir, job.index_name)), "--index-digest", job.index_digest]


def _hold(job: ActionJob, log: JobLog, generation: str) -> None:
    log.write(
        lambda session: delta_service.hold(
            session=session, device_id=job.device_id, image_id=job.image_id, generation=generation
        )
    )


def _run(
    command: Command[Any, Result], argv: list[str], log: JobLog, lock: int, check: Callable[[], bool] | None = None
) -> Result:
    """Runs a command of the core until `check`, by default a request to stop. Writes its progress into the row."""
    observer = log.observer()

    def _on_record(record: object) -> None:
        observer.core_record(record)
        if isinstance(record, TraceProgress):
            log.progress(record.touched_bytes, None)
        elif isinstance(record, Armed):
            _arm(log)

    return run_core(command, argv, on_record=_on_record, check=check or log.must_stop, inherit=(lock,))


def _arm(log: JobLog) -> None:
    """Marks the trace as armed: from here on it misses no write."""
    log.has_written = True  # the traced program writes

    def _write(session: Session) -> None:
        session.get_one(Action, log.job_id).armed_at = datetime.now(UTC)

    log.write(_write)
    log.say("Every write is recorded now. Mount the device, run your benchmark, unmount it, then stop the trace.")


def capture(job: ActionJob, log: JobLog, lock: int) -> Done:
    """Captures the device after a trial as a child image: exactly, or what an emulated disk keeps of a known file
    system, since the rest is generated. Only changed chunks are stored."""
    captured = capture_device(
        path=job.target.path,
        name=f"action-{job.action_id}",
        file_system=job.file_system,
        mode="metadata" if job.target.drops_data and job.file_system is not None else "exact",
        observer=log.observer(),
        lock=lock,
    )
    name = log.write(lambda session: _publish(session, job, captured))
    new, stored = in_bytes(captured.summary.new_bytes), in_bytes(captured.summary.stored_bytes)
    said = f"Captured in {_in_time(captured.summary.elapsed_s)} as image {name}: {stored} stored, {new} of it new"
    return Done(said, captured.summary)


def _publish(session: Session, job: ActionJob, captured: Captured) -> str:
    parent = session.get_one(Image, job.image_id)
    summary = captured.summary
    child = image_service.publish_child(
        session=session,
        parent=parent,
        name=session.get_one(Action, job.action_id).image_name,
        host_id=session.get_one(Device, job.device_id).host_id,
        index_name=captured.index_name,
        capture=summary,
        layout=captured.layout,
    )
    delta_service.hold(session=session, device_id=job.device_id, image_id=child.id, generation=summary.generation)
    return child.name
