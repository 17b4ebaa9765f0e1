"""Removes traces and deltas that no rollback needs any more."""

from datetime import UTC, datetime

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.delta.models import Delta, Holding
from patina.device_action.models import Action
from patina.job.state import TERMINAL
from patina.settings import settings

log = structlog.get_logger()


def remove_unneeded(*, session: Session, grace_s: int) -> None:
    """Removes files older than the grace period that belong to no holding and no active action. The rows stay."""
    held = select(Delta.file_name).join(Holding, Holding.delta_id == Delta.id)
    under_way = select(Action).where(Action.state.not_in(TERMINAL))
    actions = list(session.scalars(under_way))
    kept = set(session.scalars(held)) | {action.delta.file_name for action in actions if action.delta}
    prefixes = tuple(f"action-{action.id}-" for action in actions)
    youngest = datetime.now(UTC).timestamp() - grace_s
    for file in settings().delta_dir.glob("action-*"):
        if file.name not in kept and not file.name.startswith(prefixes) and file.stat().st_mtime <= youngest:
            file.unlink()
            log.info("removed a delta that no rollback needs", delta=file.name)
