"""Changes what users call a run and write about it, and archives it: none of it has an effect on the run."""

from datetime import UTC, datetime

from sqlalchemy.orm import Session

from patina.run.models import Run
from patina.run.schemas import RunChange
from patina.run.steering import changeable


def change_run(*, session: Session, run_id: int, change: RunChange) -> Run:
    """Changes what is given. Raises JobUnknown, NotYours."""
    run = changeable(session=session, run_id=run_id)
    for name, value in change.model_dump(exclude={"archived"}, exclude_none=True).items():
        setattr(run, name, value)
    if change.archived is not None and change.archived != (run.archived_at is not None):
        run.archived_at = datetime.now(UTC) if change.archived else None
    session.flush()
    return run
