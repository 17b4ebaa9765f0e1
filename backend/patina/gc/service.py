"""Starts garbage collections; computes the end of the grace period."""

from datetime import UTC, datetime, timedelta

from sqlalchemy.orm import Session

from patina.gc.kind import COLLECTION
from patina.gc.schemas import CollectionRequest
from patina.host import service as host_service
from patina.host.models import Host
from patina.job import service as job_service
from patina.job.models import Job
from patina.settings import settings


def oldest_kept() -> datetime:
    """Returns the moment before which deleted images are no longer kept."""
    return datetime.now(UTC) - timedelta(seconds=settings().gc_grace_s)


def start_collection(*, session: Session, host: Host, is_dry_run: bool, is_automatic: bool = False) -> Job:
    """Queues a collection of this host's store. Raises JobUnderWay."""
    request = CollectionRequest(is_dry_run=is_dry_run, grace_s=settings().gc_grace_s)
    collection = COLLECTION.make(host=host, request=request, is_automatic=is_automatic)
    return job_service.submit(session=session, job=collection, message=f"Queued on {host.name}")


def request_collection(*, session: Session, host_name: str | None, is_dry_run: bool) -> Job:
    """Queues a collection on request of a user."""
    host = host_service.get_host(session=session, name=host_name)
    return start_collection(session=session, host=host, is_dry_run=is_dry_run)
