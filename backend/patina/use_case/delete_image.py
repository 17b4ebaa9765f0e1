"""Deletes images from the catalog, reports the space that frees, and brings deleted images back."""

from collections.abc import Iterator
from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.delta.models import Holding
from patina.device.models import Device, Lease
from patina.device_action.models import Action
from patina.errors import PatinaError
from patina.gc.service import oldest_kept
from patina.image import service as image_service
from patina.image.download import chunk_store, open_index
from patina.image.models import Image
from patina.image.place import is_elsewhere
from patina.image.schemas import DeletionRead
from patina.image.sharing import is_seen, require_changeable
from patina.job.state import ENDED, TERMINAL
from patina.settings import settings
from patina.trial.models import Repetition, Trial

ImageProtected = PatinaError.of("image_protected", "This image is protected", status=409)
ImageInUse = PatinaError.of("image_in_use", "This image is in use", status=409)


def _digests(image: Image) -> Iterator[bytes]:
    with open_index(image.index_name, image.index_digest) as index:
        for entry in index.entries():
            yield entry.digest


def _stored_bytes(digests: set[bytes]) -> int:
    return sum(size_bytes for size_bytes, _ in chunk_store().known(digests).values())


def _devices_holding(session: Session, image_id: int) -> list[Device]:
    statement = select(Device).join(Holding, Holding.device_id == Device.id).where(Holding.image_id == image_id)
    return list(session.scalars(statement.order_by(Device.id)))


def describe_deletion(*, session: Session, image_id: int) -> DeletionRead:
    """Returns the bytes that deleting the image would free, by the indexes of all other images."""
    image = image_service.get_image(session=session, image_id=image_id)
    devices = [device.path or device.stable_id for device in _devices_holding(session, image.id)]
    if is_elsewhere(image):
        return DeletionRead(
            frees_bytes=None, frees_chunks_count=None, shared_bytes=None, devices=devices, grace_s=settings().gc_grace_s
        )
    own = set(_digests(image))
    shared: set[bytes] = set()
    for other in session.scalars(select(Image).where(Image.id != image.id, Image.deleted_at.is_(None))):
        if not is_elsewhere(other):  # chunks only in another store keep none here
            shared |= own.intersection(_digests(other))
    freed = own - shared
    return DeletionRead(
        frees_bytes=_stored_bytes(freed),
        frees_chunks_count=len(freed),
        shared_bytes=_stored_bytes(shared),
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
    for device in _devices_holding(session, image.id):
        if session.scalar(select(Lease.id).where(Lease.device_id == device.id, Lease.released_at.is_(None))):
            raise ImageInUse(
                f"Device {device.path or device.stable_id} holds image {image.name}, and is being worked on. "
                "Wait until that has ended."
            )
    busy = select(Action).where(Action.image_id == image.id, Action.state.not_in(TERMINAL)).limit(1)
    action = session.scalar(busy)
    if action is not None:
        raise ImageInUse(f"Image {image.name} is in use by {action.label}. Wait until that has ended.")
    measuring = (
        select(Trial)
        .join(Repetition, Repetition.trial_id == Trial.id)
        .where(Repetition.image_id == image.id, Trial.state.not_in(ENDED))
    )
    trial = session.scalar(measuring.limit(1))
    if trial is not None:
        raise ImageInUse(f"Image {image.name} is in use by {trial.label}. Wait until that has ended.")
    image.deleted_at = datetime.now(UTC)
    session.flush()
    return image


def bring_back(*, session: Session, image_id: int) -> Image:
    """Brings a deleted image back into the catalog, within the grace period."""
    image = session.get(Image, image_id)
    if image is None or not is_seen(image) or (image.deleted_at is not None and image.deleted_at < oldest_kept()):
        raise image_service.ImageUnknown(f"There is no image {image_id}, or its grace period is over.")
    require_changeable(image)
    image.deleted_at = None
    session.flush()
    return image
