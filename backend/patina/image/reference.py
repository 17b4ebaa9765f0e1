"""References: texts that name an image. A number, a name, `name:tag`, `team/name:tag`, or `@sha256:` with the digest of
its index or of its manifest. A digest names one content for ever; names and tags move."""

import re

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from patina.account.visibility import is_seen
from patina.image.models import Image, ImageNaming, ImageTag
from patina.image.service import ImageUnknown

LATEST = "latest"  # the tag of a reference without one
_NUMBER = re.compile(r"[0-9]{1,18}")
_DIGEST = re.compile(r"@sha256:([0-9a-f]{64})")


def find_image(*, session: Session, reference: str) -> Image:
    """Returns the image that the reference names now. Raises ImageUnknown, which states the image that it named before.

    A name without a tag is that of an image, or else means the tag `latest`."""
    for image in session.scalars(select(Image).where(_is_named(reference), Image.deleted_at.is_(None)).limit(50)):
        if is_seen(image):
            return image
    tag = reference if ":" in reference else f"{reference}:{LATEST}"
    tagged = session.scalar(select(Image).join(ImageTag).where(ImageTag.reference == tag, Image.deleted_at.is_(None)))
    if tagged is not None and is_seen(tagged):
        return tagged
    raise ImageUnknown(f"There is no image {reference!r}.{_before(session, reference)} Look at the catalog.")


def _is_named(reference: str) -> ColumnElement[bool]:
    """Returns the condition of an image with this number, digest or name."""
    if _NUMBER.fullmatch(reference):
        return Image.id == int(reference)
    digest = _DIGEST.fullmatch(reference)
    if digest is not None:
        return or_(Image.index_digest == digest[1], Image.manifest_digest == digest[1])
    return Image.name == reference


def _before(session: Session, reference: str) -> str:
    """Returns the image that the reference named last, as a sentence; nothing if that is not shown."""
    ended = ImageNaming.reference == reference, ImageNaming.image_id.is_(None)
    last = session.scalar(select(ImageNaming).where(*ended).order_by(ImageNaming.id.desc()).limit(1))
    image = None if last is None else last.earlier_image
    if last is None or image is None or image.deleted_at is not None or not is_seen(image):
        return ""
    return f" Until {last.named_at:%Y-%m-%d %H:%M} UTC it named image {image.id}, now {image.name}."
