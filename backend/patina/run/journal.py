"""What happens to a run is written here, once: events with gapless numbers, and moves between states.

Both lock the run's row, so events become visible in the order of their numbers. After the commit each
event is offered to whoever follows the run live (stream.py); the database stays the record.
"""

from datetime import UTC, datetime

from sqlalchemy import func, insert, update
from sqlalchemy.orm import Session

from patina.db import after_commit
from patina.errors import PatinaError
from patina.run import feed, notice
from patina.run.event import RunEvent, RunPayload, StateChange, Step
from patina.run.models import Run, RunEventRow
from patina.run.state import TERMINAL, NoticeKind, Phase, RunState, may_move


class StateConflict(PatinaError):
    code = "state_conflict"
    status = 409
    title = "The run has moved on"


def append(*, session: Session, run_id: int, payload: RunPayload) -> RunEvent:
    """Store one event of the run and offer it to the live feed after the commit."""
    sequence = session.scalar(
        update(Run)
        .where(Run.id == run_id)
        .values(last_sequence=Run.last_sequence + 1)
        .returning(Run.last_sequence)
        .execution_options(synchronize_session=False)
    )
    assert sequence is not None, f"run {run_id} vanished"
    at = session.scalar(
        insert(RunEventRow)
        .values(run_id=run_id, sequence=sequence, follows=sequence - 1, payload=payload.model_dump(mode="json"))
        .returning(RunEventRow.at)
    )
    assert at is not None
    event = RunEvent(run_id=run_id, sequence=sequence, follows=sequence - 1, at=at, payload=payload)
    after_commit(session, lambda: feed.publish(event))
    return event


def try_move(
    *,
    session: Session,
    run: Run,
    from_state: RunState,
    to_state: RunState,
    message: str,
    phase: Phase | None = None,
    error_code: str | None = None,
) -> bool:
    """Move by compare-and-set; False when the run was not in `from_state`. `message` goes into its log."""
    assert may_move(from_state, to_state), f"no move from {from_state} to {to_state}"
    values: dict[str, object] = {"state": to_state}
    if phase is not None:
        values["phase"] = phase
    if error_code is not None:
        values |= {"error_code": error_code, "error_message": message}
    if to_state == RunState.RUNNING:
        values["started_at"] = func.coalesce(Run.started_at, datetime.now(UTC))
    if to_state in TERMINAL:
        values |= {"finished_at": datetime.now(UTC), "eta_s": None}
    session.flush()
    moved = session.scalar(
        update(Run)
        .where(Run.id == run.id, Run.state == from_state)
        .values(**values)
        .returning(Run.id)
        .execution_options(synchronize_session=False)
    )
    session.refresh(run)
    if moved is None:
        return False
    event = append(
        session=session,
        run_id=run.id,
        payload=StateChange(type="state", state=to_state, phase=run.phase, message=message),
    )
    kind = notice.kind_of(run)
    if kind is not None:
        notice.write(session=session, event=event, kind=kind, message=message)
    return True


def move(
    *,
    session: Session,
    run: Run,
    from_state: RunState,
    to_state: RunState,
    message: str,
    phase: Phase | None = None,
    error_code: str | None = None,
) -> None:
    """Move, or StateConflict."""
    if not try_move(
        session=session,
        run=run,
        from_state=from_state,
        to_state=to_state,
        message=message,
        phase=phase,
        error_code=error_code,
    ):
        raise StateConflict(f"Run {run.id} is {run.state}, not {from_state}; it cannot become {to_state}.")


def ask_for_help(*, session: Session, run_id: int, message: str) -> bool:
    """Say in the run's log, and to those who do not watch it, why it does not go on by itself. Once, until it says
    something else: False when it was said already."""
    if notice.latest_message(session=session, run_id=run_id, kind=NoticeKind.NEEDS_YOU) == message:
        return False
    event = append(session=session, run_id=run_id, payload=Step(type="step", message=message))
    notice.write(session=session, event=event, kind=NoticeKind.NEEDS_YOU, message=message)
    return True
