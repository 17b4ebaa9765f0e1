"""Routes of garbage collections and of the stores that they measure."""

from sqlalchemy.orm import Session

from patina.gc import service
from patina.gc.schemas import CollectionCreate, CollectionRead, StoreList
from patina.http.read_only import read_only
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.job.models import Job

router = Router(tags=["collection"])


@router.get("/stores", operation_id="list_stores")
@read_only
def list_stores(session: Session) -> StoreList:
    """Returns what the chunk stores of hosts take, by the last collection of each."""
    return StoreList(items=service.list_stores(session=session))


@router.post("/collections", operation_id="start_collection", status_code=202, response_model=CollectionRead)
def start_collection(session: RequestSession, body: CollectionCreate) -> Job:
    """Queues a collection of unreferenced chunks, or a dry run, which only counts them."""
    return service.request_collection(session=session, host_name=body.host_name, is_dry_run=body.is_dry_run)
