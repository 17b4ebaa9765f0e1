"""Removes traces and deltas that no rollback needs any more."""

from datetime import UTC, datetime

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.delta.models import Delta, Holding
from patina.device_action.models import Action
from patina.job.models import Job
from patina.job.state import TERMINAL
from patina.settings import settings

log = structlog.get_logger()


def remove_unneeded(*, session: Session, grace_s: int) -> None:
    """Removes files older than the grace period that belong to no holding and no open job. The rows stay."""
    held = select(Delta.file_name).join(Holding, Holding.delta_id == Delta.id)
    to_roll_back = (
        select(Delta.file_name).join(Action, Action.delta_id == Delta.id).where(Action.state.not_in(TERMINAL))
    )
    kept = set(session.scalars(held)) | set(session.scalars(to_roll_back))
    open_jobs = session.scalars(select(Job.id).where(Job.state.not_in(TERMINAL)))
    prefixes = tuple(f"job-{job_id}-" for job_id in open_jobs)  # store/tracing.py names them so
    youngest = datetime.now(UTC).timestamp() - grace_s
    for file in sorted(settings().delta_dir.glob("*-*")):
        if file.name not in kept and not file.name.startswith(prefixes) and file.stat().st_mtime <= youngest:
            file.unlink()
            log.info("removed a delta that no rollback needs", delta=file.name)
