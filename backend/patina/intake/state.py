"""States of an intake and the moves between them, each one compare-and-set."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from patina.intake.models import Intake, IntakeState

ENDED = frozenset({IntakeState.SUCCEEDED, IntakeState.FAILED, IntakeState.CANCELED})

MOVES: dict[IntakeState, frozenset[IntakeState]] = {
    IntakeState.UPLOADING: frozenset({IntakeState.QUEUED, IntakeState.FAILED, IntakeState.CANCELED}),
    IntakeState.QUEUED: frozenset({IntakeState.RUNNING, IntakeState.CANCELED}),
    IntakeState.RUNNING: frozenset(
        {IntakeState.CANCELING, IntakeState.SUCCEEDED, IntakeState.FAILED, IntakeState.INTERRUPTED}
    ),
    IntakeState.CANCELING: frozenset(
        {IntakeState.CANCELED, IntakeState.SUCCEEDED, IntakeState.FAILED, IntakeState.INTERRUPTED}
    ),
    # The file is whole and still there: it can be taken in again.
    IntakeState.INTERRUPTED: frozenset({IntakeState.QUEUED, IntakeState.CANCELED}),
    IntakeState.SUCCEEDED: frozenset(),
    IntakeState.FAILED: frozenset(),
    IntakeState.CANCELED: frozenset(),
}


def try_move(
    *,
    session: Session,
    intake: Intake,
    from_state: IntakeState,
    to_state: IntakeState,
    message: str,
    **values: Any,
) -> bool:
    """Move; False when the intake was not in `from_state`."""
    assert to_state in MOVES[from_state], f"no move from {from_state} to {to_state}"
    now = datetime.now(UTC)
    session.flush()
    moved = session.scalar(
        update(Intake)
        .where(Intake.id == intake.id, Intake.state == from_state)
        .values(
            state=to_state,
            message=message,
            touched_at=now,
            finished_at=now if to_state in ENDED else None,
            **values,
        )
        .returning(Intake.id)
        .execution_options(synchronize_session=False)
    )
    session.refresh(intake)
    return moved is not None
