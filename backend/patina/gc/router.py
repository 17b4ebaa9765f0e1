"""The route of garbage collections."""

from fastapi import APIRouter

from patina.gc import service
from patina.gc.schemas import CollectionCreate, CollectionRead
from patina.http.request import RequestSession
from patina.job.models import Job

router = APIRouter(tags=["collection"])


@router.post("/collections", operation_id="start_collection", status_code=202, response_model=CollectionRead)
def start_collection(session: RequestSession, body: CollectionCreate) -> Job:
    """Queues a collection of unreferenced chunks, or a dry run, which only counts them."""
    return service.request_collection(session=session, host_name=body.host_name, is_dry_run=body.is_dry_run)
