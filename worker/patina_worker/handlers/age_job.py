"""What a run was asked for: everything its director needs, nothing from the database."""

from dataclasses import dataclass

from patina.profile import service as profile_service
from patina.run.event import CaptureMode
from patina.run.models import Run
from patina.run.recipe import Recipe
from patina.run.schemas import StopConditions
from patina.run.way import AgingMode, FullnessOf
from patina_worker import checkpoint
from patina_worker.extend import Extended
from patina_worker.safety import Target, target_of


@dataclass(frozen=True)
class AgeJob:
    """What was asked for: everything the director needs, nothing from the database."""

    run_id: int
    target: Target
    profile: dict[str, object]
    profile_version_number: int
    file_system: str
    fullness: float
    fullness_of: FullnessOf
    seed: int
    mode: AgingMode
    data_mode: str
    capture_mode: CaptureMode
    in_memory: bool
    threads_count: int | None
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
        target=target_of(device, run.confirmed or {}),
        profile=profile_service.document_of(version),
        profile_version_number=version.number,
        file_system=run.file_system,
        fullness=run.fullness,
        fullness_of=run.fullness_of,
        seed=run.seed,
        mode=run.mode,
        data_mode=run.data_mode,
        capture_mode=run.capture_mode,
        in_memory=run.in_memory,
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


def spent_s(job: AgeJob) -> float:
    """Seconds of aging that count against the run's limit, before this core."""
    before_s = 0.0 if job.extended is None else job.extended.elapsed_s
    return max(0.0, checkpoint.elapsed_s(job.run_id) - before_s)
