"""Steers a core that ages: the user's requests become lines on its standard input; its answers move the run."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.core.contract.age import Control
from patina.job import journal
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run
from patina.run.settings import StopConditions
from patina_worker.jobs.claim import Claim

LEAST_SECONDS = 0.001  # of aging, for a run whose time is over: zero would mean no limit


@dataclass(frozen=True)
class Wishes:
    """The requests in a run's row."""

    is_pause: bool
    conditions: StopConditions | None  # null: those in force


def read_wishes(session: Session, run_id: int) -> Wishes:
    """Reads the user's open requests. Called twice a second, so it selects the columns alone, not the whole run."""
    columns = (Run.pause_requested_at, Run.asked_conditions)
    run = session.execute(select(*columns).where(Run.id == run_id)).one()
    asked = run.asked_conditions
    return Wishes(
        is_pause=run.pause_requested_at is not None,
        conditions=None if asked is None else StopConditions.model_validate(asked),
    )


def _budget_of(conditions: StopConditions) -> tuple[float | None, float | None]:
    return conditions.max_rmse, conditions.max_overwrites


class Steering:
    """Connects a run's row and its core: sends each request once, and writes each one that the core applied once."""

    def __init__(
        self, *, run_id: int, claim: Claim, conditions: StopConditions, spent_s: float, is_exact: bool = False
    ) -> None:
        self.run_id = run_id
        self.claim = claim
        self.is_paused = False
        self.in_force = conditions
        self.is_exact = is_exact  # aims at a number of operations, until a budget is in force
        self._spent_s = spent_s  # the core counts from its own start
        self._sent: StopConditions | None = None
        self._is_pause_sent = False

    def lines_for(self, wishes: Wishes) -> list[str]:
        """Returns the lines for requests not yet sent to the core."""
        lines: list[str] = []
        if wishes.conditions is not None and wishes.conditions != self._sent:
            self._sent = wishes.conditions
            lines += self._lines_of(wishes.conditions)
            if not lines:
                self._grant(wishes.conditions)
        if wishes.is_pause != self._is_pause_sent:
            self._is_pause_sent = wishes.is_pause
            lines.append("pause" if wishes.is_pause else "resume")
        return lines

    def hear(self, control: Control) -> None:
        """Applies the core's answer: pause and resume move the run; conditions come into force or are dropped."""
        word = control.line.split(" ", 1)[0]
        if word == "pause":
            self._move(JobState.RUNNING, JobState.PAUSED, "Paused; a checkpoint is on disk")
            self.is_paused = True
        elif word == "resume":
            self.is_paused = False
            self._move(JobState.PAUSED, JobState.RUNNING, "Goes on")
        elif self._sent is not None and control.line == self._lines_of(self._sent)[-1]:
            refused = self.in_force.model_copy(update={"max_seconds": self._sent.max_seconds})
            self._grant(self._sent if control.message is None else refused)

    def _grant(self, conditions: StopConditions) -> None:
        """Writes the conditions in force; a newer request stays."""
        is_exact = self.is_exact and _budget_of(conditions) == _budget_of(self.in_force)

        def _write(session: Session) -> None:
            run = session.get_one(Run, self.run_id, with_for_update={"of": Job})
            run.settings = run.settings | conditions.model_dump() | ({} if is_exact else {"exact_ops_count": None})
            if self._sent is not None and run.asked_conditions == self._sent.model_dump(mode="json"):
                run.asked_conditions = None

        self.claim.write(_write)
        self.in_force, self._sent, self.is_exact = conditions, None, is_exact

    def _move(self, from_state: JobState, to_state: JobState, message: str) -> None:
        def _write(session: Session) -> None:
            run = session.get_one(Run, self.run_id)
            journal.try_move(session=session, job=run, from_state=from_state, to_state=to_state, message=message)

        self.claim.write(_write)

    def _lines_of(self, asked: StopConditions) -> list[str]:
        """Returns the time limit, then the budget, each only when changed: a budget makes the core revise its plan."""
        lines: list[str] = []
        if asked.max_seconds != self.in_force.max_seconds:
            left_s = 0 if asked.max_seconds is None else max(asked.max_seconds - self._spent_s, LEAST_SECONDS)
            lines.append(f"max-seconds {left_s!r}")
        if _budget_of(asked) != _budget_of(self.in_force):
            if asked.max_rmse is not None:
                lines.append(f"max-rmse {asked.max_rmse!r}")
            elif asked.max_overwrites is not None:
                lines.append(f"max-overwrites {asked.max_overwrites!r}")
            else:
                lines.append("converge")
        return lines
