"""Who sees what an account has made, and who may change it: images, profiles, jobs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    and_,
    bindparam,
    exists,
    false,
    literal,
    or_,
    select,
    true,
)
from sqlalchemy.orm import Mapped, Session, declared_attr, mapped_column, relationship

from patina.account.actor import Actor, current_actor, current_guest, table_of
from patina.account.models import Account, AccountLink, Membership, Team, Visibility
from patina.account.schemas import Sharing
from patina.account.team import get_team
from patina.errors import PatinaError

NotYours = PatinaError.of("not_yours", "Another account made it", status=403)
TeamMissing = PatinaError.of("team_missing", "Name the team", status=422)
NotAMember = PatinaError.of("not_a_member", "You are not in this team", status=403)

NO_ACCOUNT = 0  # made nothing, and is in no team
VIEWER = bindparam("viewer", None, type_=BigInteger)  # null: an account that has made nothing


class Shared:
    """Columns of a table whose rows an account makes, and shares with a team or everyone."""

    if TYPE_CHECKING:
        id: Mapped[int]  # the table has its own

    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))  # null: older than accounts, or Patina's
    team_id: Mapped[int | None] = mapped_column(ForeignKey("team.id"))  # that it is shared with
    visibility: Mapped[Visibility] = mapped_column(server_default="everyone", default=Visibility.EVERYONE)

    # Neither is joined: hosts may not read accounts.
    @declared_attr
    @classmethod
    def account(cls) -> Mapped[Account | None]:
        """Returns the relationship to the account that made it."""
        return relationship(Account)

    @declared_attr
    @classmethod
    def team(cls) -> Mapped[Team | None]:
        """Returns the relationship to the team that it is shared with."""
        return relationship(Team)

    @property
    def label(self) -> str:
        """Returns its name for users, as "profile agrawal"."""
        return f"{self.__tablename__} {self.name}"  # type: ignore[attr-defined]  # a table without a name has a label of its own

    @property
    def account_name(self) -> str | None:
        """Returns the name of the account that made it."""
        return None if self.account is None else self.account.name

    @property
    def team_name(self) -> str | None:
        """Returns the name of the team that it is shared with."""
        return None if self.team is None else self.team.name

    @property
    def is_changeable(self) -> bool:
        """Returns whether the sender of this request may change it, if the role allows that."""
        return is_changeable(self)

    @property
    def sharing(self) -> dict[str, Any]:
        """Returns the columns, for a row that is made of this one and seen by the same accounts."""
        return {"account_id": self.account_id, "team_id": self.team_id, "visibility": self.visibility}


def rules() -> tuple[CheckConstraint, ...]:
    """Returns the constraints of a table with the columns of Shared."""
    return (
        CheckConstraint("visibility IN ('private', 'team', 'everyone')", name="visibility"),
        CheckConstraint("(visibility = 'team') = (team_id IS NOT NULL)", name="team_is_named"),
        CheckConstraint("visibility <> 'private' OR account_id IS NOT NULL", name="private_has_account"),
    )


def viewer() -> int | None:
    """Returns the account whose view limits this request; None: nothing is hidden, as from Patina itself."""
    actor = current_actor.get()
    if actor is None:
        return None if current_guest.get() is None else NO_ACCOUNT
    return None if actor.sees_everything else actor.account_id


def hidden(row: Any, account_id: ColumnElement[int] = VIEWER) -> ColumnElement[bool]:
    """Returns the condition that the account, by default the parameter `viewer`, does not see the row of a class or
    alias."""
    teams = select(Membership.team_id).where(Membership.account_id == account_id)
    return and_(
        row.visibility != Visibility.EVERYONE,
        row.account_id.is_distinct_from(account_id),
        or_(row.team_id.is_(None), row.team_id.not_in(teams)),
    )


def seen(row: Any) -> ColumnElement[bool]:
    """Returns the condition that the sender of this request sees the row of a class or alias."""
    account_id = viewer()
    if account_id is None:
        return true()
    guest = current_guest.get()
    by_account = false() if account_id == NO_ACCOUNT else ~hidden(row, literal(account_id, BigInteger))
    if guest is None or table_of(row) != guest.table:
        return by_account
    is_open = exists().where(AccountLink.id == guest.link_id, AccountLink.is_open)  # a stream may outlive its link
    return or_(by_account, and_(row.id == guest.row_id, is_open))


def is_seen(row: Shared) -> bool:
    """Returns whether the sender of this request sees it."""
    actor, guest = current_actor.get(), current_guest.get()
    if guest is not None and guest.shows(row):
        return True
    if actor is None:
        return guest is None
    return row.visibility == Visibility.EVERYONE or _is_of(row, actor)


def _is_of(row: Shared, actor: Actor) -> bool:
    return actor.sees_everything or row.account_id == actor.account_id or row.team_id in actor.team_ids


def is_changeable(row: Shared) -> bool:
    """Returns whether the sender made it, is in its team, or is an operator. What is older than accounts is every
    member's."""
    actor = current_actor.get()
    if actor is None:
        return current_guest.get() is None
    return row.account_id is None or _is_of(row, actor)


def require_changeable(row: Shared) -> None:
    """Raises NotYours if the sender may not change it."""
    if not is_changeable(row):
        label = row.label[0].upper() + row.label[1:]
        raise NotYours(f"{label} was made by {row.account_name}, who may change it. So may operators.")


def begin(*, session: Session, row: Shared, asked: Sharing | None, sources: Iterable[Shared | None] = ()) -> None:
    """Sets who sees a new row: as asked, else as the first of its sources that not everyone sees. Raises TeamMissing,
    TeamUnknown, NotAMember."""
    actor = current_actor.get()
    restricted = (each for each in sources if each is not None and each.visibility != Visibility.EVERYONE)
    source = next(restricted, None)
    if actor is not None:
        row.account_id = actor.account_id
    elif source is not None:
        row.account_id = source.account_id
    if asked is not None:
        require_possible(session=session, sharing=asked)
        row.visibility, row.team_id = asked.visibility, asked.team_id
    elif source is not None:
        row.visibility, row.team_id = source.visibility, source.team_id


def share(*, session: Session, row: Shared, sharing: Sharing) -> None:
    """Changes who sees it. Raises NotYours, TeamMissing, TeamUnknown, NotAMember."""
    require_changeable(row)
    require_possible(session=session, sharing=sharing)
    actor = current_actor.get()
    if sharing.visibility == Visibility.PRIVATE and row.account_id is None and actor is not None:
        row.account_id = actor.account_id  # of what is older than accounts
    row.visibility, row.team_id = sharing.visibility, sharing.team_id
    session.flush()
    session.expire(row, ["account", "team"])


def require_possible(*, session: Session, sharing: Sharing) -> None:
    """Raises TeamMissing, TeamUnknown, NotAMember if the sender cannot share anything so."""
    if (sharing.visibility == Visibility.TEAM) != (sharing.team_id is not None):
        raise TeamMissing("Name a team for the visibility team, and none otherwise.")
    if sharing.team_id is None:
        return
    team = get_team(session=session, team_id=sharing.team_id)
    actor = current_actor.get()
    if actor is not None and not actor.sees_everything and team.id not in actor.team_ids:
        raise NotAMember(f"Only members of the team {team.name} and operators share with it.")
