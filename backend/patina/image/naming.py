"""Changes names, tags, descriptions and the protection of images, and keeps when names and tags moved."""

import re

from sqlalchemy import or_, select
from sqlalchemy.orm import Session, selectinload

from patina.account.actor import current_actor
from patina.account.models import Team
from patina.account.visibility import NotAMember, is_changeable, is_seen, require_changeable
from patina.db import take_turn
from patina.errors import NotFound, PatinaError
from patina.image.models import TAG_PATTERN, Image, ImageNaming, ImageTag
from patina.image.schemas import ImageChange, ImageLink, ImageNamingRead
from patina.image.service import is_taken, take_turn_to_name

ImageNameTaken = PatinaError.of("image_name_taken", "This name is taken", status=409)
TagInvalid = PatinaError.of("tag_invalid", "Not a tag", status=422)
TagTaken = PatinaError.of("tag_taken", "This tag names another account's image", status=409)
TagUnknown = NotFound.of("tag_unknown", "No such tag")
NamespaceUnknown = NotFound.of("tag_team_unknown", "No such team")

NAMINGS_COUNT = 200  # shown of an image, the most recent


def change_image(*, session: Session, image: Image, change: ImageChange) -> Image:
    """Changes what is given. Raises NotYours, ImageNameTaken."""
    require_changeable(image)
    if change.name is not None and change.name != image.name:
        _rename(session, image, change.name)
    if change.description is not None:
        image.description = change.description
    if change.is_protected is not None:
        image.is_protected = change.is_protected
    session.flush()
    session.refresh(image)
    return image


def _rename(session: Session, image: Image, name: str) -> None:
    take_turn_to_name(session)
    if is_taken(session=session, name=name):
        raise ImageNameTaken(f"There is an image {name} already, or was one lately. Choose another name.")
    earlier, image.name = image.name, name
    _note(session, reference=earlier, image=None, earlier_image=image)
    _note(session, reference=name, image=image, earlier_image=None)


def set_tag(*, session: Session, image: Image, reference: str) -> Image:
    """Makes the tag name this image from now on. Raises NotYours, TagInvalid, TeamUnknown, NotAMember, TagTaken."""
    require_changeable(image)
    team = _team_of(session, reference)
    take_turn(session, f"tag {reference}")
    tag = _tag(session, reference)
    earlier = None if tag is None else tag.image
    if earlier is not None and earlier.id == image.id:
        return image
    if earlier is not None and earlier.deleted_at is None and team is None and not is_changeable(earlier):
        raise TagTaken(f"The tag {reference} names an image of another account, which may move it. Choose another tag.")
    if tag is None:
        session.add(ImageTag(reference=reference, team_id=team and team.id, image_id=image.id))
    else:
        tag.image = image
    _note(session, reference=reference, image=image, earlier_image=earlier)
    session.flush()
    session.refresh(image)
    return image


def remove_tag(*, session: Session, image: Image, reference: str) -> None:
    """Removes a tag of the image. Raises NotYours, TagUnknown, NotAMember."""
    require_changeable(image)
    take_turn(session, f"tag {reference}")
    tag = _tag(session, reference)
    if tag is None or tag.image_id != image.id:
        raise TagUnknown(f"Image {image.name} has no tag {reference}.")
    _team_of(session, reference)
    session.delete(tag)
    _note(session, reference=reference, image=None, earlier_image=image)
    session.flush()


def list_namings(*, session: Session, image: Image) -> list[ImageNamingRead]:
    """Returns when names and tags began or ceased to name the image, the most recent first."""
    of_image = or_(ImageNaming.image_id == image.id, ImageNaming.earlier_image_id == image.id)
    statement = select(ImageNaming).where(of_image).order_by(ImageNaming.id.desc()).limit(NAMINGS_COUNT)
    images = selectinload(ImageNaming.image), selectinload(ImageNaming.earlier_image)
    return [_shown(naming) for naming in session.scalars(statement.options(*images))]


def _shown(naming: ImageNaming) -> ImageNamingRead:
    return ImageNamingRead(
        id=naming.id,
        reference=naming.reference,
        image=_link(naming.image),
        earlier_image=_link(naming.earlier_image),
        account_name=naming.account and naming.account.name,
        named_at=naming.named_at,
    )


def _link(image: Image | None) -> ImageLink | None:
    if image is None or image.deleted_at is not None or not is_seen(image):
        return None
    return ImageLink(id=image.id, name=image.name)


def _tag(session: Session, reference: str) -> ImageTag | None:
    return session.scalar(select(ImageTag).where(ImageTag.reference == reference))


def _team_of(session: Session, reference: str) -> Team | None:
    """Returns the team of the tag; None: it has none. Raises TagInvalid, NamespaceUnknown, NotAMember."""
    if not re.fullmatch(TAG_PATTERN, reference):
        raise TagInvalid(
            f"{reference!r} is not a tag. Write name:tag or team/name:tag, of letters, digits, dots, dashes and "
            "underscores, such as lab/mail-server:2026-11."
        )
    name, slash, _ = reference.partition("/")
    if not slash:
        return None
    team = session.scalar(select(Team).where(Team.name == name))
    if team is None:
        raise NamespaceUnknown(f"There is no team {name}. Leave it out, or name one of your teams.")
    actor = current_actor.get()
    if actor is not None and not actor.sees_everything and team.id not in actor.team_ids:
        raise NotAMember(f"Only members of the team {name} and operators set or remove its tags.")
    return team


def _note(session: Session, *, reference: str, image: Image | None, earlier_image: Image | None) -> None:
    actor = current_actor.get()
    session.add(
        ImageNaming(
            reference=reference, image=image, earlier_image=earlier_image, account_id=actor and actor.account_id
        )
    )
