"""States of a scan, and the moves between them: compare-and-set, as everywhere."""

from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import update
from sqlalchemy.orm import Session


class ScanState(StrEnum):
    """A run's, without those of a pause."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELING = "canceling"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    INTERRUPTED = "interrupted"


ACTIVE = frozenset({ScanState.QUEUED, ScanState.RUNNING, ScanState.CANCELING})


def try_move(
    *, session: Session, scan_id: int, from_states: frozenset[ScanState], to_state: ScanState, **values: object
) -> bool:
    """Whether it was in one of `from_states`, and now is in `to_state` with these values."""
    from patina.scan.models import Scan

    if to_state not in ACTIVE:
        values["finished_at"] = datetime.now(UTC)
    statement = (
        update(Scan)
        .where(Scan.id == scan_id, Scan.state.in_(from_states))
        .values(state=to_state, **values)
        .returning(Scan.id)
        .execution_options(synchronize_session=False)
    )
    return session.scalar(statement) is not None
