"""Links: they make the first owner, invite, sign in to an account whose password is lost, or show something."""

from datetime import timedelta

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from patina.account import service
from patina.account.actor import Guest, table_of
from patina.account.models import SHOWING, Account, AccountLink, LinkPurpose
from patina.account.role import Role
from patina.account.secret import digest_of, new_secret
from patina.account.visibility import Shared, require_changeable
from patina.db import database_time, take_turn
from patina.errors import NotFound, PatinaError

OWNER_DAYS = 7
LISTED_COUNT = 100

LinkRefused = PatinaError.of("link_refused", "Link invalid, used or expired", status=410)
NameMissing = PatinaError.of("name_missing", "The account needs a name", status=422)
PasswordMissing = PatinaError.of("password_missing", "The account needs a password", status=422)
LinkUnknown = NotFound.of("link_unknown", "No such link")


def make_owner_link(*, session: Session) -> str:
    """Makes the link of the first owner. Returns its secret. Earlier ones expire."""
    session.execute(
        update(AccountLink)
        .where(AccountLink.purpose == LinkPurpose.OWNER, AccountLink.used_at.is_(None))
        .values(expires_at=database_time())
    )
    return _make(session, LinkPurpose.OWNER, role=Role.OWNER, expires_in=timedelta(days=OWNER_DAYS))[1]


def make_invitation(*, session: Session, role: Role, note: str, expires_in: timedelta) -> tuple[AccountLink, str]:
    """Makes a link that makes an account of this role. Returns it with its secret."""
    return _make(session, LinkPurpose.INVITATION, role=role, note=note, expires_in=expires_in)


def make_entry(*, session: Session, account_id: int, expires_in: timedelta) -> tuple[AccountLink, str]:
    """Makes a link that signs in to the account, and may set its password. Raises AccountUnknown."""
    account = service.get_open_account(session=session, account_id=account_id)
    return _make(session, LinkPurpose.ENTRY, role=account.role, account_id=account.id, expires_in=expires_in)


def make_shared_link(*, session: Session, row: Shared, expires_in: timedelta) -> tuple[AccountLink, str]:
    """Makes a link that shows the row until it expires. Returns it with its secret. Raises NotYours."""
    require_changeable(row)
    shown = _shown_by(row)
    return _make(session, shown, role=Role.VIEWER, expires_in=expires_in, **{_column(shown): row.id})


def list_shared_links(*, session: Session, row: Shared) -> list[AccountLink]:
    """Returns the links that show the row and have not expired, newest first. Raises NotYours."""
    require_changeable(row)
    statement = select(AccountLink).where(AccountLink.is_open, getattr(AccountLink, _column(_shown_by(row))) == row.id)
    return list(session.scalars(statement.order_by(AccountLink.id.desc())))


def get_shared_link(*, session: Session, link_id: int) -> AccountLink:
    """Returns a link that shows something. Raises LinkUnknown."""
    found = session.get(AccountLink, link_id)
    if found is None or found.purpose not in SHOWING:
        raise LinkUnknown(f"There is no link {link_id}.")
    return found


def find_guest(*, session: Session, secret: str) -> Guest | None:
    """Returns what the secret of a link shows; None if it is unknown, shows nothing, or has expired."""
    statement = select(AccountLink).where(AccountLink.digest == digest_of(secret), AccountLink.is_open)
    found = session.scalar(statement.where(AccountLink.purpose.in_(SHOWING)))
    return None if found is None else Guest(found.id, found.purpose, getattr(found, _column(found.purpose)))


def _shown_by(row: Shared) -> LinkPurpose:
    return LinkPurpose(table_of(type(row)))


def _column(shown: LinkPurpose) -> str:
    return f"{shown}_id"


def _make(
    session: Session, purpose: LinkPurpose, *, role: Role, expires_in: timedelta, **of: int | str
) -> tuple[AccountLink, str]:
    secret = new_secret("link")
    expires_at = func.now() + expires_in
    made = AccountLink(purpose=purpose, digest=digest_of(secret), role=role, expires_at=expires_at, **of)
    session.add(made)
    session.flush()
    session.refresh(made)
    return made, secret


def list_links(*, session: Session) -> list[AccountLink]:
    """Returns the newest invitations and entries that can still be used, newest first."""
    statement = select(AccountLink).where(
        AccountLink.is_open, AccountLink.purpose.in_((LinkPurpose.INVITATION, LinkPurpose.ENTRY))
    )
    return list(session.scalars(statement.order_by(AccountLink.id.desc()).limit(LISTED_COUNT)))


def revoke_link(*, session: Session, link_id: int) -> None:
    """Ends an invitation or an entry at once. Raises LinkUnknown."""
    found = session.get(AccountLink, link_id)
    if found is None or found.purpose in SHOWING:
        raise LinkUnknown(f"There is no link {link_id}.")
    session.delete(found)


def find_link(*, session: Session, secret: str) -> AccountLink:
    """Returns an open link, and does not use it. Raises LinkRefused."""
    return _find(session, AccountLink.digest == digest_of(secret))


def _find(session: Session, condition: ColumnElement[bool]) -> AccountLink:
    statement = select(AccountLink).where(condition, AccountLink.is_open)
    found = session.scalar(statement.where(AccountLink.purpose.not_in(SHOWING)))
    if found is None or (found.account is not None and found.account.closed_at is not None):
        raise LinkRefused("This link is unknown, was used, was revoked, or has expired. Ask an owner for a new one.")
    return found


def use_link(*, session: Session, secret: str, name: str | None, password_hash: str | None) -> Account:
    """Uses a link: makes the account, or signs in to it; sets the password if there is one. Returns the account.

    Raises LinkRefused, AccountNameTaken, PasswordMissing and NameMissing, which leave the link as it was.
    """
    link = _take(session, AccountLink.digest == digest_of(secret))
    if link.account is not None:
        account = link.account
        if password_hash is not None:
            service.set_password(session=session, account=account, password_hash=password_hash)
    else:
        if name is None:
            raise NameMissing("Choose the name of the account.")
        if password_hash is None:
            raise PasswordMissing("Choose the password of the account.")
        account = service.add_account(session=session, name=name, role=link.role, password_hash=password_hash)
    link.used_at = func.now()
    session.flush()
    return account


def join(*, session: Session, link_id: int, name: str) -> Account:
    """Uses a link that makes an account, which gets no password. Raises LinkRefused and AccountNameTaken."""
    link = _take(session, AccountLink.id == link_id)
    account = service.add_account(session=session, name=name, role=link.role, password_hash=None)
    link.used_at = func.now()
    session.flush()
    return account


def _take(session: Session, condition: ColumnElement[bool]) -> AccountLink:
    """Returns an open link; others that use it wait for the end of this transaction. Raises LinkRefused."""
    take_turn(session, "account_link")
    link = _find(session, condition)
    if link.purpose == LinkPurpose.OWNER and service.has_owner(session=session):
        raise LinkRefused("This server has an owner. Ask the owner for an invitation.")
    return link
