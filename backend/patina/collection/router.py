"""Routes of deletions and collections."""

from fastapi import APIRouter
from sqlalchemy.orm import Session

from patina.collection import service
from patina.collection.schemas import CollectionCreate, CollectionRead, DeletionRead
from patina.job.models import Job
from patina.read_only import read_only_at_length
from patina.request import RequestSession

router = APIRouter(tags=["collection"])


@router.get("/images/{image_id}/deletion", operation_id="describe_deletion")
@read_only_at_length
def describe_deletion(session: Session, image_id: int) -> DeletionRead:
    """What deleting the image would free, and who depends on it."""
    return service.describe_deletion(session=session, image_id=image_id)


@router.delete("/images/{image_id}", operation_id="delete_image", status_code=204)
def delete_image(session: RequestSession, image_id: int) -> None:
    """Take it out of the catalog. Within the grace period it can be brought back."""
    service.delete_image(session=session, image_id=image_id)


@router.post("/images/{image_id}/bring-back", operation_id="bring_back_image", status_code=204)
def bring_back_image(session: RequestSession, image_id: int) -> None:
    """Undo its deletion."""
    service.bring_back(session=session, image_id=image_id)


@router.post("/collections", operation_id="start_collection", status_code=202, response_model=CollectionRead)
def start_collection(session: RequestSession, body: CollectionCreate) -> Job:
    """Collect the chunks that no image needs, or only count them."""
    return service.request_collection(session=session, host_name=body.host_name, is_dry_run=body.is_dry_run)
