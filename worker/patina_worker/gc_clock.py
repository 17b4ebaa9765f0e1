"""Queues a garbage collection of this host's store when the last one is a period old."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.gc import service
from patina.gc.kind import COLLECTION
from patina.host.models import Host
from patina.job.models import Job
from patina.job.service import JobUnderWay
from patina.settings import settings


def schedule(*, session: Session, host: Host) -> bool:
    """Queues a collection when the last one, not a dry run, is a period old. Returns whether it did."""
    since = datetime.now(UTC) - timedelta(seconds=settings().gc_period_s)
    recent = select(Job.id).where(
        Job.kind == COLLECTION.name,
        Job.host_id == host.id,
        Job.request["is_dry_run"].as_boolean().is_(False),
        Job.created_at > since,
    )
    if host.created_at > since or session.scalar(recent.limit(1)) is not None:
        return False
    try:
        service.start_collection(session=session, host=session.merge(host), is_dry_run=False, is_automatic=True)
    except JobUnderWay:
        return False
    return True
