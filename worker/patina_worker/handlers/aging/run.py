"""Handles runs: ages the device, then publishes its image."""

from pydantic import BaseModel
from sqlalchemy.orm import Session

from patina.core.failure import CoreKilled
from patina.delta import service as delta_service
from patina.image import service as image_service
from patina.run.kind import RunResult
from patina.run.models import Run
from patina.run.settings import StopConditions
from patina_worker.failure import JobCanceled, UnmountFailed, WorkerStopping
from patina_worker.handlers.aging.age import age, mount_folder
from patina_worker.handlers.aging.age_job import AgeJob, job_of, spent_s
from patina_worker.handlers.aging.extend import extended_by
from patina_worker.handlers.aging.run_log import RunLog
from patina_worker.handlers.aging.steer import Steering
from patina_worker.host import file_system, operation_log
from patina_worker.jobs.log import JobLog
from patina_worker.jobs.outcome import Done
from patina_worker.store.capture import Captured


def handle(_: BaseModel, log: JobLog, lock: int) -> Done:
    """Ages a device and captures its image."""
    job = log.write(lambda session: _job(session, log.job_id))
    conditions = StopConditions(**job.settings.model_dump(include=set(StopConditions.model_fields)))
    steering = Steering(
        run_id=job.run_id,
        claim=log.claim,
        conditions=conditions,
        spent_s=spent_s(job),
        is_exact=job.settings.exact_ops_count is not None,
    )
    run_log = RunLog(job_id=log.job_id, claim=log.claim, steering=steering)
    try:
        captured = age(job=job, log=run_log, lock=lock)
    except JobCanceled:
        raise JobCanceled("Canceled; the device is unmounted and free, no image was made") from None
    except WorkerStopping:
        raise WorkerStopping(
            "The worker was stopped; the device is unmounted. The run goes on once a worker runs again."
        ) from None
    except CoreKilled as error:
        raise WorkerStopping(f"{error.message} The device is unmounted and free.") from error
    finally:
        log.has_written = run_log.has_written
    return Done("The image is in the catalog", lambda session: _publish(session, job, captured))


def clean_up(run_id: int) -> str:
    """Unmounts the file system that a dead process had mounted. Returns the message for the run's log."""
    try:
        if mount_folder(run_id).is_mount():
            file_system.unmount(mount_folder(run_id))
    except UnmountFailed as error:
        return f"Interrupted: the worker died while it ran. {error.message}"
    return "Interrupted: the worker died while it ran. The device is unmounted and free."


def _job(session: Session, run_id: int) -> AgeJob:
    run = session.get_one(Run, run_id)
    delta_service.forget(session=session, device_id=run.device.id)  # all of it will be overwritten
    return job_of(run, extended=extended_by(session, run))


def _publish(session: Session, job: AgeJob, captured: Captured) -> RunResult:
    run = session.get_one(Run, job.run_id)
    if job.settings.keeps_log:
        run.operation_log_bytes = operation_log.bytes_of(run.id)
    run.survivors_bytes = operation_log.survivors_bytes_of(run.id)
    image = image_service.publish(
        session=session,
        run=run,
        index_name=captured.index_name,
        capture=captured.summary,
        layout=captured.layout,
    )
    delta_service.hold(
        session=session, device_id=run.device.id, image_id=image.id, generation=captured.summary.generation
    )
    return RunResult(image_id=image.id)
