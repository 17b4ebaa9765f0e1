"""Routes of batches."""

from typing import Annotated

from fastapi import Header, Response
from sqlalchemy.orm import Session

from patina.batch import service
from patina.batch.schemas import BatchCreate, BatchPage, BatchRead
from patina.http.page import Cursor, Limit
from patina.http.read_only import read_only
from patina.http.request import RequestSession
from patina.http.routing import Router

router = Router(prefix="/batches", tags=["batch"])


@router.post("", operation_id="start_batch", status_code=202)
def start_batch(
    session: RequestSession,
    response: Response,
    body: BatchCreate,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> BatchRead:
    """Queues an aging on each of several devices, all or none. Idempotent with an Idempotency-Key."""
    batch = service.start_batch(session=session, create=body, idempotency_key=idempotency_key)
    response.headers["Location"] = f"/api/v1/batches/{batch.id}"
    return service.read(session=session, batch=batch)


@router.get("", operation_id="list_batches")
@read_only
def list_batches(
    session: Session,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> BatchPage:
    """Returns batches, newest first."""
    return service.list_batches(session=session, cursor=cursor, limit=limit)


@router.get("/{batch_id}", operation_id="get_batch")
@read_only
def get_batch(session: Session, batch_id: int) -> BatchRead:
    """Returns one batch with its runs."""
    return service.read(session=session, batch=service.get_batch(session=session, batch_id=batch_id))


@router.post("/{batch_id}/stop", operation_id="stop_batch", status_code=202)
def stop_batch(session: RequestSession, batch_id: int) -> BatchRead:
    """Requests a stop of every run of the batch that has not ended."""
    return service.read(session=session, batch=service.stop_batch(session=session, batch_id=batch_id))
