"""What a user asks of a run on its way: pause, go on, other stop conditions, a note.

Each is a wish in the run's row. The worker that holds the lease reads it several times a second, tells the core, and
moves the run once the core has obeyed: a run that is `paused` does pause.
"""

from datetime import UTC, datetime

from sqlalchemy.orm import Session

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
    """Ask for a pause: between two operations, after a checkpoint. Asked again, nothing changes."""
    run = _steerable(session, run_id, "pause")
    if run.pause_requested_at is None:
        run.pause_requested_at = datetime.now(UTC)
        session.flush()
    return run


def resume_run(*, session: Session, run_id: int) -> Run:
    """Take the wish for a pause back, or queue an interrupted run again. Asked again, nothing changes."""
    run = get_run(session=session, run_id=run_id)
    if run.state == JobState.INTERRUPTED:
        return _resume_interrupted(session, run)
    run = _steerable(session, run_id, "resume")
    run.pause_requested_at = None
    session.flush()
    return run


def _resume_interrupted(session: Session, run: Run) -> Run:
    """It may go on by itself at the same moment."""
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
    """Ask for other stop conditions: all of them at once. They are in force when the core has revised its plan."""
    run = _steerable(session, run_id, "change the stop conditions of")
    planning.check_conditions(run=run, conditions=conditions)
    run.asked_conditions = conditions.model_dump(mode="json")
    session.flush()
    return run


def write_note(*, session: Session, run_id: int, note: str) -> Run:
    """What people want to remember of the run. It changes nothing that the run does."""
    run = get_run(session=session, run_id=run_id)
    run.note = note
    session.flush()
    return run


def _steerable(session: Session, run_id: int, verb: str) -> Run:
    """The run, its row locked, while it prepares or ages. StateConflict, TooLateToSteer."""
    run = get_run(session=session, run_id=run_id)
    session.refresh(run, with_for_update={"of": Job})
    if run.state not in _AGING:
        raise StateConflict(f"Run {run.id} is {run.state}: there is nothing to {verb} now.")
    if run.phase in AFTER_AGING:
        raise TooLateToSteer(f"Run {run.id} has aged and makes its image now. Wait until it ends, or stop it.")
    return run
