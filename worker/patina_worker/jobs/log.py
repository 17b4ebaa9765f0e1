"""Writes a job's progress into its row and journal, each in one transaction of the claim's holder."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from pydantic import BaseModel
from sqlalchemy import case, cast, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from patina.core.failure import Stopped
from patina.job import journal
from patina.job.event import JobProgress, StateChange, Step
from patina.job.models import Job
from patina.job.state import JobState
from patina.run import thinning
from patina_worker import stopping
from patina_worker.failure import JobCanceled, WorkerStopping
from patina_worker.jobs.claim import Claim
from patina_worker.store.exchange import Observer

WISHES_POLL_S = 0.5
PROGRESS_PERIOD_S = 0.5

Answer = TypeVar("Answer")


class JobLog:
    """The sole writer of a running job's row, and the sole reader of stop requests."""

    def __init__(self, *, job_id: int, claim: Claim) -> None:
        self.job_id = job_id
        self.claim = claim
        self.has_written = False  # to the device, or it is about to
        self.is_stop_requested = False
        self._asked_at = 0.0
        self._progress_at = 0.0
        self._progress: int | None = None  # the sequence of the latest

    def write(self, action: Callable[[Session], Answer]) -> Answer:
        """Runs `action` in one transaction of the claim's holder. LeaseLost."""
        return self.claim.write(action)

    def must_stop(self) -> bool:
        """Returns whether the user or the worker's shutdown requests a stop. LeaseLost when the claim is lost."""
        self.claim.check()
        now = time.monotonic()
        if not self.is_stop_requested and now - self._asked_at >= WISHES_POLL_S:
            self._asked_at = now
            self.is_stop_requested = self.write(self._read_request)
        return self.is_stop_requested or stopping.is_announced()

    def _read_request(self, session: Session) -> bool:
        return session.scalar(select(Job.stop_requested_at).where(Job.id == self.job_id)) is not None

    def decline_stop(self, message: str) -> None:
        """Takes back the user's request to stop: the job goes on. `message` says why, and what to do first."""
        self.is_stop_requested = False

        def _write(session: Session) -> None:
            journal.try_move(
                session=session,
                job=session.get_one(Job, self.job_id),
                from_state=JobState.CANCELING,
                to_state=JobState.RUNNING,
                message=message,
                stop_requested_at=None,
            )

        self.write(_write)

    def must_go(self) -> bool:
        """Checks a step that must be completed: only LeaseLost stops it."""
        self.claim.check()
        return False

    def go_on(self) -> None:
        """Raises JobCanceled, WorkerStopping or LeaseLost when there must be no next step."""
        if self.must_stop():
            raise JobCanceled if self.is_stop_requested else WorkerStopping

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """Converts the Stopped of the enclosed steps into JobCanceled or WorkerStopping."""
        try:
            yield
        except Stopped:
            self.go_on()
            raise

    def step(self, message: str) -> None:
        """Logs one completed step."""
        self.append(Step(type="step", message=message))

    def enter(self, message: str, phase: str | None = None) -> None:
        """Begins the next phase. JobCanceled, WorkerStopping."""
        self.go_on()
        self._enter(message, phase)

    def _enter(self, message: str, phase: str | None, **values: object) -> None:
        self._progress_at, self._progress = 0.0, None
        # A request to stop has a message of its own, which stays.
        said = case((Job.state == JobState.CANCELING, Job.message), else_=message)

        def _write(session: Session) -> None:
            state = session.scalar(
                update(Job)
                .where(Job.id == self.job_id)
                .values(phase=phase, message=said, done=0.0, total=None, eta_s=None, **values)
                .returning(Job.state)
                .execution_options(synchronize_session=False)
            )
            assert state is not None
            change = StateChange(type="state", state=state, phase=phase, message=message)
            journal.append(session=session, job_id=self.job_id, payload=change)

        self.write(_write)

    def progress(self, done: float, total: float | None, unit: str = "bytes") -> None:
        """Stores the progress of the phase at a limited rate; only the latest event is kept."""
        now = time.monotonic()
        if done != total and now - self._progress_at < PROGRESS_PERIOD_S:
            return
        self._progress_at = now
        payload = JobProgress(type="progress", done=done, total=total, unit=unit)

        def _write(session: Session) -> int:
            values = {"done": done, "total": total, "unit": unit}
            event = journal.append(session=session, job_id=self.job_id, payload=payload, **values)
            if self._progress is not None:
                thinning.drop(session=session, run_id=self.job_id, sequences=[self._progress])
            return event.sequence

        self._progress = self.write(_write)

    def observer(self, say: Callable[[str], None] | None = None) -> Observer:
        """Returns an observer that reports progress and stop requests. `say` receives other messages."""
        return Observer(check=self.must_stop, progress=self.progress, say=say or self.say)

    def say(self, message: str) -> None:
        """Sets the job's message."""
        self.update(message=case((Job.state == JobState.CANCELING, Job.message), else_=message))

    def will_hold(self, own_uuid: str | None, *, given_up_uuid: str | None, given_up_generation: str) -> None:
        """Stores the UUIDs of the file system that the job makes on the device and of the one that it destroys, and the
        device's generation before the first write."""
        kept = {"own_uuid": own_uuid, "given_up_uuid": given_up_uuid, "given_up_generation": given_up_generation}
        self.update(confirmed=Job.confirmed.op("||")(cast(kept, JSONB)))
        self.has_written = True

    def append(self, payload: BaseModel, **values: object) -> None:
        """Stores an event, and `values` of the job's row."""
        self.write(lambda session: journal.append(session=session, job_id=self.job_id, payload=payload, **values))

    def update(self, **values: object) -> None:
        """Writes values of the job's row."""
        self.write(
            lambda session: session.execute(
                update(Job).where(Job.id == self.job_id).values(**values).execution_options(synchronize_session=False)
            )
        )
