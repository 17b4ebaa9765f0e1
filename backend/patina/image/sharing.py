"""Who sees an image, and who may change it."""

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, exists, or_, select
from sqlalchemy.orm import Session, aliased

from patina.account.actor import Actor, current_actor, current_guest
from patina.account.models import Membership
from patina.account.team import get_team
from patina.errors import PatinaError
from patina.image.models import Image, ImageEntry, Visibility

NotYours = PatinaError.of("not_yours", "The image is another account's", status=403)
TeamMissing = PatinaError.of("team_missing", "Name the team", status=422)
NotAMember = PatinaError.of("not_a_member", "You are not in this team", status=403)

_VIEWER = bindparam("viewer", type_=BigInteger)
_Hidden = aliased(Image)
# Of the few images that are not for everyone: so a search of all costs no more.
_OF_OTHERS = exists().where(
    _Hidden.id == ImageEntry.image_id,
    _Hidden.visibility != Visibility.EVERYONE,
    _Hidden.account_id.is_distinct_from(_VIEWER),
    or_(
        _Hidden.team_id.is_(None),
        _Hidden.team_id.not_in(select(Membership.team_id).where(Membership.account_id == _VIEWER)),
    ),
)
#: The condition that the account `viewer` sees the image of an entry.
SEEN: ColumnElement[bool] = and_(~_OF_OTHERS)


def viewer() -> int | None:
    """Returns the account whose view limits this request; None: nothing is hidden, as from Patina itself."""
    actor = current_actor.get()
    return None if actor is None or actor.sees_everything else actor.account_id


def is_seen(image: Image) -> bool:
    """Returns whether the sender of this request sees the image."""
    actor, guest = current_actor.get(), current_guest.get()
    if guest is not None:
        return image.id == guest.image_id
    return actor is None or image.visibility == Visibility.EVERYONE or _is_of(image, actor)


def _is_of(image: Image, actor: Actor) -> bool:
    return actor.sees_everything or image.account_id == actor.account_id or image.team_id in actor.team_ids


def is_changeable(image: Image) -> bool:
    """Returns whether the sender made the image, is in its team, or is an operator. An image that is older than
    accounts is every member's."""
    actor = current_actor.get()
    if current_guest.get() is not None:
        return False
    return actor is None or image.account_id is None or _is_of(image, actor)


def require_changeable(image: Image) -> None:
    """Raises NotYours if the sender may not change the image."""
    if not is_changeable(image):
        assert image.account is not None
        raise NotYours(f"Image {image.name} was made by {image.account.name}, who may change it. So may operators.")


def share(*, session: Session, image: Image, visibility: Visibility, team_id: int | None) -> None:
    """Changes who sees the image. Raises NotYours, TeamMissing, TeamUnknown, NotAMember."""
    require_changeable(image)
    actor = current_actor.get()
    if (visibility == Visibility.TEAM) != (team_id is not None):
        raise TeamMissing("Name a team to share an image with it, and none otherwise.")
    if team_id is not None:
        team = get_team(session=session, team_id=team_id)
        if actor is not None and not actor.sees_everything and team_id not in actor.team_ids:
            raise NotAMember(f"Only members of the team {team.name} and operators share images with it.")
    if visibility == Visibility.PRIVATE and image.account_id is None and actor is not None:
        image.account_id = actor.account_id  # of an image that is older than accounts
    image.visibility, image.team_id = visibility, team_id
    session.flush()
    session.refresh(image)
