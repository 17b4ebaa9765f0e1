"""Steers a running run for its user: pause, resume, other stop conditions.

Each request is stored in the run's row. The worker that holds the lease reads it several times a second, sends it to
the core, and moves the run once the core has complied: a `paused` run has paused.
"""

from datetime import UTC, datetime

from sqlalchemy.orm import Session

from patina.account.visibility import require_changeable
from patina.core.contract.phase import AFTER_AGING
from patina.device.lease import DeviceBusy
from patina.errors import PatinaError
from patina.job.journal import StateConflict
from patina.job.models import Job
from patina.job.state import JobState
from patina.run import planning, resuming
from patina.run.models import Run
from patina.run.service import get_run
from patina.run.settings import StopConditions

_AGING = frozenset({JobState.RUNNING, JobState.PAUSED})


TooLateToSteer = PatinaError.of("too_late_to_steer", "Too late to steer the run", status=409)


def pause_run(*, session: Session, run_id: int) -> Run:
    """Requests a pause: between two operations, after a checkpoint. Idempotent."""
    run = _steerable(session, run_id, "pause")
    if run.pause_requested_at is None:
        run.pause_requested_at = datetime.now(UTC)
        session.flush()
    return run


def resume_run(*, session: Session, run_id: int) -> Run:
    """Withdraws the request for a pause, or queues an interrupted run again. Idempotent."""
    run = changeable(session=session, run_id=run_id)
    if run.state == JobState.INTERRUPTED:
        return _resume_interrupted(session, run)
    run = _steerable(session, run_id, "resume")
    run.pause_requested_at = None
    session.flush()
    return run


def _resume_interrupted(session: Session, run: Run) -> Run:
    """Queues an interrupted run, unless it resumes automatically at the same moment."""
    try:
        with session.begin_nested():
            resuming.resume_interrupted(session=session, run=run, is_automatic=False)
    except (DeviceBusy, StateConflict):
        session.refresh(run)
        session.refresh(run.device, ["active_lease"])
        if run.state == JobState.INTERRUPTED:
            raise
    return run


def change_stop_conditions(*, session: Session, run_id: int, conditions: StopConditions) -> Run:
    """Requests other stop conditions, replacing all of them. They are in force when the core has revised its plan."""
    run = _steerable(session, run_id, "change the stop conditions of")
    planning.check_conditions(run=run, conditions=conditions)
    run.asked_conditions = conditions.model_dump(mode="json")
    session.flush()
    return run


def changeable(*, session: Session, run_id: int) -> Run:
    """Returns the run. Raises JobUnknown, NotYours."""
    run = get_run(session=session, run_id=run_id)
    require_changeable(run)
    return run


def _steerable(session: Session, run_id: int, verb: str) -> Run:
    """Returns the run, its row locked, if it prepares or ages. Raises StateConflict, TooLateToSteer."""
    run = changeable(session=session, run_id=run_id)
    session.refresh(run, with_for_update={"of": Job})
    if run.state not in _AGING:
        raise StateConflict(f"Run {run.id} is {run.state}: there is nothing to {verb} now.")
    if run.phase in AFTER_AGING:
        raise TooLateToSteer(f"Run {run.id} has aged and makes its image now. Wait until it ends, or stop it.")
    return run
