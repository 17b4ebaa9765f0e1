"""Deletes images from the catalog, reports the space that frees, and brings deleted images back."""

from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.account.visibility import is_seen, require_changeable, seen
from patina.delta.models import Holding
from patina.device.models import Device, Lease
from patina.device_action.models import Action
from patina.errors import PatinaError
from patina.image import service as image_service
from patina.image.chunk_sets import chunk_sets, stored_bytes
from patina.image.models import Image
from patina.image.place import is_elsewhere
from patina.image.schemas import DeletedImageRead, DeletionRead
from patina.job.state import ENDED, TERMINAL
from patina.settings import settings
from patina.trial.models import Repetition, Trial

DELETED_COUNT = 200  # listed at most

ImageProtected = PatinaError.of("image_protected", "This image is protected", status=409)
ImageInUse = PatinaError.of("image_in_use", "This image is in use", status=409)


def _devices_holding(session: Session, image_id: int) -> list[Device]:
    statement = select(Device).join(Holding, Holding.device_id == Device.id).where(Holding.image_id == image_id)
    return list(session.scalars(statement.order_by(Device.id)))


def describe_deletion(*, session: Session, image_id: int) -> DeletionRead:
    """Returns the bytes that deleting the image would free, by the indexes of all other images."""
    image = image_service.get_image(session=session, image_id=image_id)
    devices = [device.called for device in _devices_holding(session, image.id)]
    if is_elsewhere(image):
        return DeletionRead(
            frees_bytes=None, frees_chunks_count=None, shared_bytes=None, devices=devices, grace_s=settings().gc_grace_s
        )
    sets = chunk_sets(session=session, images=[image])
    return DeletionRead(
        frees_bytes=stored_bytes(sets.own),
        frees_chunks_count=len(sets.own),
        shared_bytes=stored_bytes(sets.shared),
        devices=devices,
        grace_s=settings().gc_grace_s,
    )


def delete_image(*, session: Session, image_id: int) -> Image:
    """Deletes the image from the catalog; its chunks follow after the grace period. Raises ImageProtected,
    ImageInUse."""
    image = image_service.get_image(session=session, image_id=image_id)
    require_changeable(image)
    if image.is_protected:
        raise ImageProtected(f"Image {image.name} is protected from deletion. End its protection first.")
    use = use_of(session=session, image=image)
    if use is not None:
        raise ImageInUse(f"Image {image.name} is in use: {use}. Wait until that has ended.")
    mark_deleted(image)
    session.flush()
    return image


def mark_deleted(image: Image) -> None:
    """Removes an image that is not in use from the catalog."""
    image.deleted_at = datetime.now(UTC)


def use_of(*, session: Session, image: Image) -> str | None:
    """Returns what the image is in use by; None if nothing needs it now."""
    for device in _devices_holding(session, image.id):
        if session.scalar(select(Lease.id).where(Lease.device_id == device.id, Lease.released_at.is_(None))):
            return f"device {device.path or device.stable_id} holds it, and is being worked on"
    busy = select(Action).where(Action.image_id == image.id, Action.state.not_in(TERMINAL)).limit(1)
    action = session.scalar(busy)
    if action is not None:
        return f"by {action.seen_label}"
    measuring = (
        select(Trial)
        .join(Repetition, Repetition.trial_id == Trial.id)
        .where(Repetition.image_id == image.id, Trial.state.not_in(ENDED))
    )
    trial = session.scalar(measuring.limit(1))
    return None if trial is None else f"by {trial.seen_label}"


def list_deleted(*, session: Session) -> list[DeletedImageRead]:
    """Returns the images that can be brought back, the last deleted first."""
    statement = select(Image).where(Image.deleted_at >= image_service.oldest_kept(), seen(Image))
    found = session.scalars(statement.order_by(Image.deleted_at.desc(), Image.id).limit(DELETED_COUNT))
    return [
        DeletedImageRead(
            id=image.id,
            name=image.name,
            file_system=image.file_system,
            size_bytes=image.size_bytes,
            stored_bytes=image.stored_bytes,
            deleted_at=image.deleted_at,
            kept_until=image_service.kept_until(image),
            is_changeable=image.is_changeable,
        )
        for image in found
    ]


def bring_back(*, session: Session, image_id: int) -> Image:
    """Brings a deleted image back into the catalog, within the grace period."""
    image = session.get(Image, image_id)
    if image is None or not is_seen(image) or image_service.is_gone(image):
        raise image_service.ImageUnknown(f"There is no image {image_id}, or its grace period is over.")
    require_changeable(image)
    image.deleted_at = None
    session.flush()
    return image
