"""Starts garbage collections; lists the stores."""

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from patina.gc.kind import COLLECTION
from patina.gc.schemas import CollectionRequest, CollectionSummary, StoreRead
from patina.host import service as host_service
from patina.host.models import Host
from patina.job import service as job_service
from patina.job.models import Job
from patina.job.state import JobState
from patina.settings import settings


def list_stores(*, session: Session) -> list[StoreRead]:
    """Returns the store of every listed host that has had a collection, also one that only counted."""
    last = (
        select(Job)
        .ext(distinct_on(Job.host_id))
        .where(Job.kind == COLLECTION.name, Job.state == JobState.SUCCEEDED, Host.removed_at.is_(None))
        .join(Host, Job.host_id == Host.id)
        .order_by(Job.host_id, Job.id.desc())
    )
    return [_store_of(collection) for collection in session.scalars(last)]


def _store_of(collection: Job) -> StoreRead:
    counted = CollectionSummary.model_validate(collection.result)
    removed = (counted.removed_chunks_count, counted.removed_bytes) if counted.dry_run else (0, 0)
    return StoreRead(
        host_id=collection.host_id,
        chunks_count=counted.kept_chunks_count + counted.young_chunks_count + removed[0],
        bytes=counted.kept_bytes + counted.young_bytes + removed[1],
        measured_at=collection.finished_at or collection.touched_at,
    )


def start_collection(*, session: Session, host: Host, is_dry_run: bool, is_automatic: bool = False) -> Job:
    """Queues a collection of this host's store. Raises JobUnderWay."""
    request = CollectionRequest(is_dry_run=is_dry_run, grace_s=settings().gc_grace_s)
    collection = COLLECTION.make(host=host, request=request, is_automatic=is_automatic)
    return job_service.submit(session=session, job=collection, message=f"Queued on {host.name}")


def request_collection(*, session: Session, host_name: str | None, is_dry_run: bool) -> Job:
    """Queues a collection on request of a user."""
    host = host_service.get_host(session=session, name=host_name)
    return start_collection(session=session, host=host, is_dry_run=is_dry_run)
