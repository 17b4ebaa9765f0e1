"""Moves of an action between its states, each one compare-and-set."""

from datetime import UTC, datetime

from sqlalchemy import func, update
from sqlalchemy.orm import Session

from patina.action.models import Action
from patina.run.state import TERMINAL, RunState, may_move


def try_move(
    *,
    session: Session,
    action: Action,
    from_state: RunState,
    to_state: RunState,
    message: str,
    error_code: str | None = None,
) -> bool:
    """Move; False when the action was not in `from_state`."""
    assert may_move(from_state, to_state), f"no move from {from_state} to {to_state}"
    values: dict[str, object] = {"state": to_state, "message": message, "error_code": error_code}
    if to_state == RunState.RUNNING:
        values["started_at"] = func.coalesce(Action.started_at, datetime.now(UTC))
    if to_state in TERMINAL:
        values["finished_at"] = datetime.now(UTC)
    session.flush()
    moved = session.scalar(
        update(Action)
        .where(Action.id == action.id, Action.state == from_state)
        .values(**values)
        .returning(Action.id)
        .execution_options(synchronize_session=False)
    )
    session.refresh(action)
    return moved is not None
