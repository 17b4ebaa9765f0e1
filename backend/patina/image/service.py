"""The catalog: find images, publish new ones, hand out indexes."""

import shlex

from fastapi.responses import FileResponse
from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.errors import NotFound
from patina.image.models import Image
from patina.image.schemas import ImagePage, ImageRead
from patina.run.event import CaptureSummary
from patina.run.models import Run
from patina.settings import settings


class ImageUnknown(NotFound):
    code = "image_unknown"
    title = "Image unknown"


class IndexMissing(NotFound):
    code = "index_missing"
    title = "Index missing"


def get_image(*, session: Session, image_id: int) -> Image:
    """The image, or ImageUnknown."""
    image = session.get(Image, image_id)
    if image is None:
        raise ImageUnknown(f"There is no image {image_id}. Look at the catalog.")
    return image


def extract_command(image: Image) -> str:
    """The line that gives the device's bytes with Debian's casync, on the machine that holds the store."""
    index = settings().index_dir / image.index_name
    store = settings().store_dir
    return shlex.join(["casync", "extract", f"--store={store}", str(index), f"{image.name}.img"])


def read(image: Image) -> ImageRead:
    """The image as the API says it."""
    version = image.profile_version
    fields = {name: getattr(image, name) for name in ImageRead.model_fields if hasattr(image, name)}
    fields |= {
        "profile": version.profile.name,
        "profile_title": version.profile.title,
        "profile_version_number": version.number,
        "plan": image.run.plan,
        "extract_command": extract_command(image),
    }
    return ImageRead.model_validate(fields)


def list_images(*, session: Session, cursor: int | None, limit: int, run_id: int | None) -> ImagePage:
    """A page of the catalog, newest first."""
    statement = select(Image).order_by(Image.id.desc()).limit(limit + 1)
    if cursor is not None:
        statement = statement.where(Image.id < cursor)
    if run_id is not None:
        statement = statement.where(Image.run_id == run_id)
    images = list(session.scalars(statement))
    more = len(images) > limit
    items = [read(image) for image in images[:limit]]
    return ImagePage(items=items, next_cursor=items[-1].id if more else None)


def publish(*, session: Session, run: Run, index_name: str, capture: CaptureSummary) -> Image:
    """The row of a captured run. Call it only after the index is durable."""
    assert run.summary is not None
    assert run.recipe is not None
    image = Image(
        run=run,
        profile_version=run.profile_version,
        name=f"{run.profile_version.profile.name}-{round(run.fullness * 100)}-{run.file_system}-{run.id}",
        file_system=run.file_system,
        fullness=run.summary["fullness"],
        mode=capture.mode,
        size_bytes=capture.device_bytes,
        stored_bytes=capture.stored_bytes,
        index_digest=capture.index_digest,
        index_name=index_name,
        recipe=run.recipe,
        summary=run.summary,
        capture=capture.model_dump(mode="json"),
    )
    session.add(image)
    session.flush()
    return image


def index_file(*, image: Image) -> FileResponse:
    """The index as a download."""
    path = settings().index_dir / image.index_name
    if not path.is_file():
        raise IndexMissing(
            f"The index of image {image.id} is not at {path}. Is the state folder the one it was made in?"
        )
    return FileResponse(path, media_type="application/octet-stream", filename=f"{image.name}.caibx")
