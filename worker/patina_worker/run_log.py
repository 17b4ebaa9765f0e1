"""Writes what a run reports into its row and journal, each in one transaction of the lease's holder."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import update
from sqlalchemy.orm import Session

from patina.forecast.plan import Hello, Plan
from patina.image.record import RollbackRecord
from patina.run import journal, thinning
from patina.run.event import (
    AgeRecord,
    AgeSummary,
    CaptureRecord,
    Control,
    Progress,
    RestoreRecord,
    RunPayload,
    Sample,
    Space,
    StateChange,
    Step,
)
from patina.run.models import Run
from patina.run.recipe import Recipe
from patina.run.schemas import StopConditions
from patina.run.state import AFTER_AGING, Phase
from patina_worker import stopping
from patina_worker.claim import Claim
from patina_worker.failure import RunCanceled, Stopped, WorkerStopping
from patina_worker.steer import Steering, Wishes, read_wishes

WISHES_POLL_S = 0.5
PROGRESS_PERIOD_S = 0.5
THINNING_PERIOD = 1_024  # samples


class RunLog:
    """The one hand that writes to a running run, and the one ear for being told to stop."""

    def __init__(self, *, run_id: int, claim: Claim, steering: Steering) -> None:
        self.run_id = run_id
        self.claim = claim
        self._steering = steering
        self._phase: Phase | None = None
        self.has_written = False  # to the device, or it is about to
        self._asked_at = 0.0
        self._wishes = Wishes(is_cancel=False, is_pause=False, conditions=None)
        self._progress_at = 0.0
        self._samples_count = 0
        self._spaces: list[int] = []  # sequences of those that this worker stored

    def must_stop(self) -> bool:
        """Whether the user or the worker's end asks for it. LeaseLost when the device is no longer ours."""
        self.claim.check()
        now = time.monotonic()
        if not self._wishes.is_cancel and now - self._asked_at >= WISHES_POLL_S:
            self._asked_at = now
            self._wishes = self.claim.write(lambda session: read_wishes(session, self.run_id))
        return self._wishes.is_cancel or stopping.is_announced()

    def go_on(self) -> None:
        """Between two steps: RunCanceled, WorkerStopping or LeaseLost when there must be no next one."""
        if self.must_stop():
            raise RunCanceled if self._wishes.is_cancel else WorkerStopping

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """Around steps that stop when asked: their Stopped becomes RunCanceled or WorkerStopping."""
        try:
            yield
        except Stopped:
            self.go_on()
            raise

    @property
    def conditions(self) -> StopConditions:
        """The stop conditions in force."""
        return self._steering.in_force

    @property
    def is_paused(self) -> bool:
        """Whether the core says nothing because it was told to pause."""
        return self._steering.is_paused

    def lines(self) -> list[str]:
        """What the core has to be told now."""
        return self._steering.lines_for(self._wishes)

    def step(self, message: str) -> None:
        """One thing was done to the host."""
        self._append(Step(type="step", message=message))

    def enter(self, phase: Phase, message: str) -> None:
        """The run's next phase begins."""

        values: dict[str, object] = {"phase": phase, "progress_fraction": 0.0, "eta_s": None}
        if phase in AFTER_AGING:  # what was asked too late for the core to hear
            values |= {"pause_requested_at": None, "asked_conditions": None}

        def _enter(session: Session) -> None:
            state = session.scalar(
                update(Run)
                .where(Run.id == self.run_id)
                .values(**values)
                .returning(Run.state)
                .execution_options(synchronize_session=False)
            )
            assert state is not None
            change = StateChange(type="state", state=state, phase=phase, message=message)
            journal.append(session=session, run_id=self.run_id, payload=change)

        self.claim.write(_enter)
        self._phase = phase

    def will_hold(self, own_uuid: str | None, *, given_up_uuid: str | None, given_up_generation: str) -> None:
        """Store the UUIDs of the file system that the run puts on the device and of the one that it destroys, and the
        device's generation before the first write."""

        def _note(session: Session) -> None:
            run = session.get_one(Run, self.run_id)
            run.confirmed = {
                **run.confirmed,
                "own_uuid": own_uuid,
                "given_up_uuid": given_up_uuid,
                "given_up_generation": given_up_generation,
            }

        self.claim.write(_note)
        self.has_written = True

    def set_recipe(self, recipe: Recipe) -> None:
        """What has been done so far, exactly."""
        self.claim.write(lambda session: self._update(session, recipe=recipe.model_dump(mode="json")))

    def age_record(self, record: AgeRecord) -> None:
        """What `patina-core age` printed: stored whole, and the row brought up to date."""
        if isinstance(record, Hello):
            return
        if isinstance(record, Plan):
            self._append(record, plan=record.model_dump(mode="json"))
            if self._phase == Phase.PREPARE:  # a revised plan is another one
                self.enter(Phase.RAPID, _PHASE_WORDS[Phase.RAPID])
        elif isinstance(record, Sample):
            if record.phase != self._phase:
                self.enter(Phase(record.phase), _PHASE_WORDS[Phase(record.phase)])
            self._append(record, progress_fraction=record.progress_fraction, eta_s=record.eta_s)
            self._samples_count += 1
            if self._samples_count % THINNING_PERIOD == 0:
                self.claim.write(lambda session: thinning.thin(session=session, run_id=self.run_id))
        elif isinstance(record, Space):
            self._space(record)
        elif isinstance(record, AgeSummary):
            done = {"summary": record.model_dump(mode="json"), "stop_reason": record.stop_reason}
            self._append(record, progress_fraction=1.0, eta_s=None, **done)
        else:
            self._append(record)
        if isinstance(record, Control):
            self._steering.hear(record)

    def _space(self, record: Space) -> None:
        """The old ones go long before the samples are thinned: there are as many as there are layouts, and larger."""

        def _write(session: Session) -> list[int]:
            event = journal.append(session=session, run_id=self.run_id, payload=record)
            spaces = [*self._spaces, event.sequence]
            dropped = thinning.superfluous_spaces(spaces)
            thinning.drop(session=session, run_id=self.run_id, sequences=dropped)
            return spaces[len(dropped) :]

        self._spaces = self.claim.write(_write)

    def image_record(self, record: CaptureRecord | RestoreRecord | RollbackRecord) -> None:
        """What the core printed while it worked on the image: progress, thinned."""
        if not isinstance(record, Progress):
            return
        now = time.monotonic()
        is_last = record.done_bytes == record.total_bytes
        if is_last or now - self._progress_at >= PROGRESS_PERIOD_S:
            self._progress_at = now
            fraction = record.done_bytes / record.total_bytes if record.total_bytes else 1.0
            self._append(record, progress_fraction=fraction)

    def _append(self, payload: RunPayload, **values: object) -> None:
        def _write(session: Session) -> None:
            if values:
                self._update(session, **values)
            journal.append(session=session, run_id=self.run_id, payload=payload)

        self.claim.write(_write)

    def _update(self, session: Session, **values: object) -> None:
        session.execute(
            update(Run).where(Run.id == self.run_id).values(**values).execution_options(synchronize_session=False)
        )


_PHASE_WORDS = {
    Phase.RAPID: "Rapid aging: creating files until the target fullness",
    Phase.STABLE: "Stable aging: creating and deleting in balance until the horizon",
}
