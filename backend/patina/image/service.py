"""The catalog: finds and publishes images; describes downloads."""

import shlex
from datetime import UTC, datetime, timedelta
from itertools import chain, count
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session, joinedload, lazyload, load_only, object_session

from patina.account.visibility import is_seen
from patina.bucket.client import bucket
from patina.core.contract.age import CaptureSummary, Layout
from patina.db import take_turn
from patina.device.models import Device
from patina.errors import NotFound
from patina.image.archived import ArchivedManifest
from patina.image.digest import Digests, known_digest
from patina.image.download import MEDIA_TYPES, Download, open_download
from patina.image.intake import IntakeFacts
from patina.image.manifest import digest_of
from patina.image.models import Image, Origin
from patina.image.place import place_of
from patina.image.schemas import DownloadRead, ImageDownloads, ImageLink, ImageRead
from patina.profile.models import Profile, ProfileVersion
from patina.run.models import Run
from patina.settings import settings

# Columns shown of the image's run and profile.
_CHILDREN = (
    select(Image.id, Image.name)
    .where(Image.parent_id == bindparam("image_id"), Image.deleted_at.is_(None))
    .order_by(Image.id)
)
_BY_ID = (
    select(Image)
    .where(Image.id == bindparam("image_id"))
    .options(
        joinedload(Image.run).options(
            load_only(Run.plan, Run.device_id),
            lazyload(Run.lease),
            lazyload(Run.host),
            lazyload(Run.profile_version),
            joinedload(Run.device).options(
                load_only(Device.stable_id, Device.kind), lazyload(Device.host), lazyload(Device.active_lease)
            ),
        ),
        joinedload(Image.profile_version).options(
            load_only(ProfileVersion.number),
            joinedload(ProfileVersion.profile).options(
                load_only(Profile.name, Profile.title), lazyload(Profile.latest_version)
            ),
        ),
    )
)


ImageUnknown = NotFound.of("image_unknown", "No such image")
ImageDeleted = ImageUnknown.of("image_deleted", "This image is deleted")
LayoutUnknown = NotFound.of("layout_unknown", "The layout was not measured")


def get_image(*, session: Session, image_id: int) -> Image:
    """Returns the image. Raises ImageUnknown, or ImageDeleted while it can be brought back."""
    image = session.scalar(_BY_ID, {"image_id": image_id})
    if image is None or not is_seen(image) or is_gone(image):
        raise ImageUnknown(f"There is no image {image_id}. Look at the catalog.")
    if image.deleted_at is not None:
        raise ImageDeleted(
            f"Image {image.name} is deleted. `patina image bring-back {image.id}`, or its page, brings it back until "
            f"{kept_until(image):%Y-%m-%d %H:%M} UTC."
        )
    return image


def oldest_kept() -> datetime:
    """Returns the moment before which deleted images are no longer kept."""
    return datetime.now(UTC) - timedelta(seconds=settings().gc_grace_s)


def kept_until(image: Image) -> datetime:
    """Returns until when a deleted image can be brought back."""
    assert image.deleted_at is not None
    return image.deleted_at + timedelta(seconds=settings().gc_grace_s)


def is_gone(image: Image) -> bool:
    """Returns whether the grace period of a deleted image is over."""
    return image.deleted_at is not None and image.deleted_at < oldest_kept()


def read(image: Image) -> ImageRead:
    """Returns the image as the API shows it."""
    version, run = image.profile_version, image.run
    own = ImageRead.model_fields.keys() - {"parent", "children"}
    fields = {name: getattr(image, name) for name in own if hasattr(image, name)}
    session = object_session(image)
    assert session is not None, "an image is shown within its session"
    children = session.execute(_CHILDREN, {"image_id": image.id})
    fields |= {
        "profile": version and version.profile.name,
        "profile_title": version and version.profile.title,
        "profile_version_number": version and version.number,
        "plan": run and run.plan,
        "device_id": run and run.device_id,
        "device_stable_id": run and run.device.stable_id,
        "device_kind": run and run.device.kind,
        "parent": image.parent and ImageLink.model_validate(image.parent),
        "place": place_of(image),
        "children": [ImageLink.model_validate(child) for child in children],
    }
    return ImageRead.model_validate(fields)


def read_layout(image: Image) -> Layout:
    """Returns the layout of its file system. Raises LayoutUnknown."""
    if image.layout is None:
        raise LayoutUnknown(f"The layout of image {image.name} was not measured when it was captured.")
    return Layout.model_validate(image.layout)


def _of_capture(index_name: str, capture: CaptureSummary, layout: Layout | None, host_id: int) -> dict[str, Any]:
    """Returns a capture's facts as columns of the image; called on the host that has it."""
    remote = bucket()
    return {
        "host_id": host_id,
        "bucket": None if remote is None else remote.name,
        "layout": None if layout is None else layout.model_dump(mode="json"),
        "mode": capture.mode,
        "size_bytes": capture.device_bytes,
        "stored_bytes": capture.stored_bytes,
        "index_digest": capture.index_digest,
        "index_name": index_name,
        "capture": capture.model_dump(mode="json"),
    }


def _published(session: Session, image: Image) -> Image:
    image.published_name = image.name
    session.add(image)
    session.flush()
    session.refresh(image)  # read back the numbers as stored
    image.manifest_digest = digest_of(image)
    session.flush()
    return image


def is_taken(*, session: Session, name: str) -> bool:
    """Returns whether an image has this name, including deleted ones, which may be brought back."""
    return session.scalar(select(Image.id).where(Image.name == name)) is not None


def take_turn_to_name(session: Session) -> None:
    """Serializes all that give an image a name, until this transaction ends."""
    take_turn(session, "names of images")


def _free_name(session: Session, wanted: str) -> str:
    """Returns the name, with a number added if an import took it: hours of aging must not fail for that."""
    take_turn_to_name(session)
    numbered = (f"{wanted}-{number}" for number in count(2))
    return next(name for name in chain([wanted], numbered) if not is_taken(session=session, name=name))


def _fullness_of(summary: dict[str, Any]) -> float:
    """Returns the fullness reported by the file system, or the model's for an aging without one."""
    measured, model = summary["fullness_statfs"], summary["fullness"]
    return float(model if measured is None else measured)


def _fullness_after_trial(parent: Image, layout: Layout | None) -> float | None:
    """Returns the fullness by the free extents; the parent's where they were not measured."""
    capacity_bytes: int | None = None if parent.recipe is None else parent.recipe["capacity_bytes"]
    if layout is None or capacity_bytes is None:
        return parent.fullness
    free_bytes = layout.free_extents.free_blocks_count * layout.free_extents.block_size_bytes
    return max(1 - free_bytes / capacity_bytes, 0.0)


def publish(*, session: Session, run: Run, index_name: str, capture: CaptureSummary, layout: Layout | None) -> Image:
    """Publishes a captured run: adds its row. Call it only after the index is durable."""
    assert run.summary is not None
    assert run.recipe is not None
    settings = run.in_force
    fullness = round((settings.fullness or run.summary["fullness"]) * 100)
    name = f"{settings.profile or settings.workload}-{fullness}-{settings.file_system}-{run.id}"
    image = Image(
        origin=Origin.AGED,
        **run.sharing,
        run=run,
        reproduces_id=_existing(session, run.reproduces_id),
        profile_version=run.profile_version,
        name=_free_name(session, run.image_name or name),
        file_system=settings.file_system,
        fullness=_fullness_of(run.summary),
        recipe=run.recipe,
        summary=run.summary,
        **_of_capture(index_name, capture, layout, run.device.host_id),
    )
    return _published(session, image)


def _existing(session: Session, image_id: int | None) -> int | None:
    """Returns the number, if an image has it, also one that was deleted since."""
    return session.scalar(select(Image.id).where(Image.id == image_id))


def publish_child(
    *,
    session: Session,
    parent: Image,
    name: str | None = None,
    host_id: int,
    index_name: str,
    capture: CaptureSummary,
    layout: Layout | None,
) -> Image:
    """Publishes a trial's image of `parent`: adds its row. Call it only after the index is durable. Without a name it
    has that of its parent and a number."""
    siblings_count = session.scalar(select(func.count(Image.id)).where(Image.parent_id == parent.id)) or 0
    image = Image(
        origin=Origin.TRIAL,
        **parent.sharing,
        run_id=parent.run_id,
        parent_id=parent.id,
        profile_version_id=parent.profile_version_id,
        name=_free_name(session, name or f"{parent.name}-after-{siblings_count + 1}"),
        file_system=parent.file_system,
        fullness=_fullness_after_trial(parent, layout),
        recipe=parent.recipe,
        summary=parent.summary,
        intake=parent.intake,
        **_of_capture(index_name, capture, layout, host_id),
    )
    return _published(session, image)


def publish_imported(
    *,
    session: Session,
    name: str,
    file_system: str | None,
    intake: IntakeFacts,
    host_id: int,
    index_name: str,
    capture: CaptureSummary,
    layout: Layout | None,
    archived: ArchivedManifest | None,
    sharing: dict[str, Any],
) -> Image:
    """Publishes an imported image: adds its row, with the facts of its aging if an archive has them. Call it only after
    the index is durable."""
    aging = {} if archived is None else archived.model_dump(mode="json", include={"recipe", "summary", "fullness"})
    image = Image(
        origin=Origin.IMPORTED,
        **sharing,
        name=_free_name(session, name),
        file_system=file_system,
        intake=intake.model_dump(mode="json"),
        **aging,
        **_of_capture(index_name, capture, layout, host_id),
    )
    return _published(session, image)


def describe_downloads(*, session: Session, image: Image, digests: Digests, base_url: str) -> ImageDownloads:
    """Returns every format with its size, the known digests, and a line for a shell with casync, with the requested
    address. The line takes the access token from PATINA_TOKEN, as the password of HTTP Basic."""
    here = f"/api/v1/images/{image.id}"
    index_url = f"{here}/index.caibx"
    scheme, _, address = base_url.rstrip("/").partition("://")
    origin = f"{scheme}://token:$PATINA_TOKEN@{address}"
    places = f'--store="{origin}/store" "{origin}{index_url}"'
    downloads = [open_download(image=image, image_format=each) for each in MEDIA_TYPES]
    return ImageDownloads(
        items=[_describe(session, download, digests, f"{here}/download/{download.format}") for download in downloads],
        index_url=index_url,
        extract_command=f"casync extract {places} {shlex.quote(f'{image.name}.raw')}",
    )


def _describe(session: Session, download: Download, digests: Digests, url: str) -> DownloadRead:
    computation = digests.under_way(download)
    return DownloadRead(
        format=download.format,
        file_name=download.file_name,
        url=url,
        sha256_url=f"{url}.sha256",
        size_bytes=download.size_bytes,
        etag=download.etag,
        sha256=known_digest(session=session, download=download),
        digest_progress_fraction=None if computation is None else computation.progress_fraction,
    )
