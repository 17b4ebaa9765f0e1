"""Routes of images."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse

from patina.db import RequestSession
from patina.image import service
from patina.image.schemas import ImagePage, ImageRead

router = APIRouter(prefix="/images", tags=["image"])


@router.get("", operation_id="list_images")
def list_images(
    session: RequestSession,
    cursor: Annotated[int | None, Query(ge=1, description="Images older than this id")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    run_id: Annotated[int | None, Query(ge=1, description="Only the image of this run")] = None,
) -> ImagePage:
    """The catalog, newest first."""
    return service.list_images(session=session, cursor=cursor, limit=limit, run_id=run_id)


@router.get("/{image_id}", operation_id="get_image")
def get_image(session: RequestSession, image_id: int) -> ImageRead:
    """One image with its recipe and figures."""
    return service.read(service.get_image(session=session, image_id=image_id))


@router.get("/{image_id}/index", operation_id="get_image_index", response_class=FileResponse)
def get_image_index(session: RequestSession, image_id: int) -> FileResponse:
    """The image's index, a .caibx file that casync reads."""
    return service.index_file(image=service.get_image(session=session, image_id=image_id))
