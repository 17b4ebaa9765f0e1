"""Writes a run's reports into its rows and journal, each in one transaction of the lease's holder."""

from pydantic import BaseModel
from sqlalchemy import update
from sqlalchemy.orm import Session

from patina.core.contract.age import AgeRecord, AgeSummary, Checkpoint, Control, Progress, Sample, Space
from patina.core.contract.phase import AFTER_AGING, Phase
from patina.core.contract.plan import Plan
from patina.core.contract.workload import WorkloadPlan
from patina.core.record import Hello
from patina.job import journal
from patina.run import thinning
from patina.run.models import Run
from patina.run.recipe import Recipe
from patina.run.settings import StopConditions
from patina_worker.handlers.aging.steer import Steering, Wishes, read_wishes
from patina_worker.host.predicted import PredictedParts
from patina_worker.jobs.claim import Claim
from patina_worker.jobs.log import JobLog

THINNING_PERIOD = 1_024  # samples


class RunLog(JobLog):
    """A job's log that also stores the core's records and steers the core."""

    def __init__(self, *, job_id: int, claim: Claim, steering: Steering) -> None:
        super().__init__(job_id=job_id, claim=claim)
        self._steering = steering
        self._phase: Phase | None = None
        self._wishes = Wishes(is_pause=False, conditions=None)
        self._samples_count = 0
        self._spaces: list[int] = []  # sequences of those that this worker stored
        self._predicted: PredictedParts | None = None

    def _read_request(self, session: Session) -> bool:
        self._wishes = read_wishes(session, self.job_id)
        return super()._read_request(session)

    @property
    def conditions(self) -> StopConditions:
        """Returns the stop conditions in force."""
        return self._steering.in_force

    @property
    def is_exact(self) -> bool:
        """Returns whether the run aims at a number of operations."""
        return self._steering.is_exact

    @property
    def is_paused(self) -> bool:
        """Returns whether the core is silent because it is paused."""
        return self._steering.is_paused

    def lines(self) -> list[str]:
        """Returns the lines to send to the core now."""
        return self._steering.lines_for(self._wishes)

    def enter_phase(self, phase: Phase, message: str) -> None:
        """Begins the run's next phase."""
        if phase in AFTER_AGING:  # drop requests that came too late for the core
            self.update_run(pause_requested_at=None, asked_conditions=None)
        self._enter(message, phase)
        self._phase = phase

    def set_recipe(self, recipe: Recipe) -> None:
        """Stores the recipe as far as it is known."""
        self.update_run(recipe=recipe.model_dump(mode="json"))

    def predict(self, predicted: PredictedParts) -> None:
        """Takes what is measured of the aging from here on into the samples, and stores it with each checkpoint."""
        self._predicted = predicted

    def set_prediction(self) -> None:
        """Stores what the model of an emulated disk predicts for the aging, if it does."""
        prediction = None if self._predicted is None else self._predicted.final()
        if prediction is not None:
            self.update_run(prediction=prediction.model_dump(mode="json"))
            self.step(f"Aging {prediction.in_words()}")

    def _checkpoint(self, record: Checkpoint) -> None:
        """Stores the prediction up to here: what is lost behind a checkpoint is done, and measured, again."""
        prediction = None if self._predicted is None else self._predicted.so_far()
        if prediction is None:
            self.append(record)
        else:
            self.append_to_run(record, prediction=prediction.model_dump(mode="json"))

    def age_record(self, record: AgeRecord) -> None:
        """Stores a record of `patina-core age` and updates the row from it."""
        if isinstance(record, Hello):
            return
        if isinstance(record, Plan | WorkloadPlan):
            self.append_to_run(record, plan=record.model_dump(mode="json"))
            if self._phase == Phase.PREPARE:  # a later plan is a revised one
                self.enter_phase(Phase.RAPID, _PHASE_WORDS[Phase.RAPID])
        elif isinstance(record, Sample):
            if record.phase != self._phase:
                self.enter_phase(Phase(record.phase), _PHASE_WORDS[Phase(record.phase)])
            prediction = None if self._predicted is None else self._predicted.recent()
            if prediction is not None:
                record = record.model_copy(update={"predicted_s": prediction.predicted_s})
            self.append(record, done=record.progress_fraction, total=1.0, unit="", eta_s=record.eta_s)
            self._samples_count += 1
            if self._samples_count % THINNING_PERIOD == 0:
                self.write(lambda session: thinning.thin(session=session, run_id=self.job_id))
        elif isinstance(record, Space):
            self._space(record)
        elif isinstance(record, Checkpoint):
            self._checkpoint(record)
        elif isinstance(record, Progress):
            self.progress(record.done_bytes, record.total_bytes)
        elif isinstance(record, AgeSummary):
            done = {"summary": record.model_dump(mode="json"), "stop_reason": record.stop_reason}
            self.append_to_run(record, **done)
            self.update(done=1.0, total=1.0, unit="", eta_s=None)
        else:
            self.append(record)
        if isinstance(record, Control):
            self._mark_pause(record)
            self._steering.hear(record)

    def _mark_pause(self, record: Control) -> None:
        """Leaves the time of a pause out of what is predicted."""
        if self._predicted is not None and record.line == "pause":
            self._predicted.pause()
        elif self._predicted is not None and record.line == "resume":
            self._predicted.go_on()

    def _space(self, record: Space) -> None:
        """Stores a space record and drops old ones, long before the samples are thinned: they are larger."""

        def _write(session: Session) -> list[int]:
            event = journal.append(session=session, job_id=self.job_id, payload=record)
            spaces = [*self._spaces, event.sequence]
            dropped = thinning.superfluous_spaces(spaces)
            thinning.drop(session=session, run_id=self.job_id, sequences=dropped)
            return spaces[len(dropped) :]

        self._spaces = self.write(_write)

    def append_to_run(self, payload: BaseModel, **values: object) -> None:
        """Stores an event, and `values` of columns that only runs have."""

        def _write(session: Session) -> None:
            journal.append(session=session, job_id=self.job_id, payload=payload)
            self._update_run(session, values)

        self.write(_write)

    def update_run(self, **values: object) -> None:
        """Writes columns that only runs have."""
        self.write(lambda session: self._update_run(session, values))

    def _update_run(self, session: Session, values: dict[str, object]) -> None:
        session.execute(
            update(Run).where(Run.id == self.job_id).values(**values).execution_options(synchronize_session=False)
        )


_PHASE_WORDS = {
    Phase.RAPID: "Rapid aging: creating files until the target fullness",
    Phase.STABLE: "Stable aging: creating and deleting in balance until the horizon",
}
