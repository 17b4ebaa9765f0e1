"""The input of an aging's director, independent of the database."""

from dataclasses import dataclass

from patina.device.emulation import Prediction
from patina.profile import service as profile_service
from patina.run.models import Run
from patina.run.recipe import Recipe
from patina.run.settings import RunSettings
from patina_worker.handlers.aging.extend import Extended
from patina_worker.host import checkpoint, file_system
from patina_worker.host.write_check import Target, target_of


@dataclass(frozen=True)
class AgeJob:
    """The director's input, independent of the database."""

    run_id: int
    target: Target
    profile: dict[str, object] | None  # None of a workload
    settings: RunSettings
    seed: int
    begun: Recipe | None  # of the interrupted run, or of the run that it extends
    extended: Extended | None
    prediction: Prediction | None  # of what was aged before: by an interrupted attempt, or by the run that it extends

    @property
    def mount_options(self) -> str:
        """Returns the options to mount with. They are never those of a row, which may name other disks."""
        chosen = self.settings
        return file_system.mount_options(
            chosen.file_system, chosen.mode, chosen.added_mount_options, is_emulated=self.target.is_emulated
        )


def job_of(run: Run, *, extended: Extended | None) -> AgeJob:
    """Returns the job of a row whose session is open."""
    stored = run.prediction
    if stored is None and extended is not None:
        stored = extended.prediction
    return AgeJob(
        run_id=run.id,
        target=target_of(run.device, run.confirmed or {}),
        profile=None if run.profile_version is None else profile_service.document_of(run.profile_version),
        settings=run.in_force,
        seed=run.settings["seed"],
        begun=None if run.recipe is None else Recipe.model_validate(run.recipe),
        extended=extended,
        prediction=None if stored is None else Prediction.model_validate(stored),
    )


def spent_s(job: AgeJob) -> float:
    """Returns the seconds of aging before this core that count against the run's limit."""
    before_s = 0.0 if job.extended is None else job.extended.elapsed_s
    return max(0.0, checkpoint.elapsed_s(job.run_id) - before_s)
