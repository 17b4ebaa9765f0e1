"""Sessions of browsers, and access tokens of programs."""

from datetime import timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from patina.account.actor import Actor
from patina.account.known import forget_known
from patina.account.models import Account, Credential, CredentialKind, Membership
from patina.account.role import Role
from patina.account.secret import digest_of, new_secret
from patina.db import after_commit, database_time
from patina.errors import NotFound, PatinaError

SESSION_DAYS = 30
TITLE_CHARS = 120
SEEN_EVERY = timedelta(minutes=1)
MOST_COUNT = 200  # tokens and sessions of one account

CredentialUnknown = NotFound.of("credential_unknown", "No such session or token")
RoleTooHigh = PatinaError.of("role_too_high", "The role is more than yours", status=403)
TooManyCredentials = PatinaError.of("too_many_credentials", "Too many sessions and tokens", status=409)


def open_session(*, session: Session, account: Account, title: str) -> str:
    """Signs a browser in. Returns the secret of its cookie."""
    return _make(session, account, CredentialKind.SESSION, title, account.role, timedelta(days=SESSION_DAYS))[1]


def make_token(
    *, session: Session, account_id: int, most: Role, title: str, role: Role, expires_in: timedelta
) -> tuple[Credential, str]:
    """Makes an access token. Returns it with its secret. RoleTooHigh if its role is more than `most`."""
    if not most.includes(role):
        raise RoleTooHigh(f"You are {most}, and the token would be {role}. Choose {most} or less.")
    return _make(session, session.get_one(Account, account_id), CredentialKind.TOKEN, title, role, expires_in)


def _make(
    session: Session, account: Account, kind: CredentialKind, title: str, role: Role, expires_in: timedelta
) -> tuple[Credential, str]:
    session.execute(delete(Credential).where(Credential.account_id == account.id, ~Credential.is_open))
    count = session.scalar(select(func.count()).where(Credential.account_id == account.id)) or 0
    if count >= MOST_COUNT:
        raise TooManyCredentials(f"{account.name} has {count} sessions and tokens. Revoke some of them first.")
    secret = new_secret(kind)
    made = Credential(
        account_id=account.id,
        kind=kind,
        digest=digest_of(secret),
        title=title[:TITLE_CHARS],
        role=role,
        expires_at=func.now() + expires_in,
    )
    session.add(made)
    session.flush()
    session.refresh(made)
    return made, secret


def find_actor(*, session: Session, secret: str) -> Actor | None:
    """Returns whose credential it is; None if it is unknown, expired or revoked, or the account is closed."""
    found = session.scalar(
        select(Credential)
        .join(Credential.account)
        .where(Credential.digest == digest_of(secret), Credential.is_open, Account.closed_at.is_(None))
    )
    if found is None:
        return None
    session.execute(
        update(Credential)
        .where(Credential.id == found.id, func.coalesce(Credential.seen_at < database_time() - SEEN_EVERY, True))
        .values(seen_at=func.date_trunc("minute", database_time()))
        .execution_options(synchronize_session=False)
    )
    role = found.role if found.account.role.includes(found.role) else found.account.role
    teams = session.scalars(select(Membership.team_id).where(Membership.account_id == found.account_id))
    return Actor(found.account_id, found.account.name, role, found.id, found.kind, frozenset(teams))


def list_credentials(*, session: Session, account_id: int) -> list[Credential]:
    """Returns the sessions and tokens of an account that have not expired, newest first."""
    statement = select(Credential).where(Credential.account_id == account_id, Credential.is_open)
    return list(session.scalars(statement.order_by(Credential.id.desc())))


def revoke(*, session: Session, account_id: int, credential_id: int) -> None:
    """Ends a session or a token of the account at once. Raises CredentialUnknown."""
    found = session.get(Credential, credential_id)
    if found is None or found.account_id != account_id:
        raise CredentialUnknown(f"You have no session or token {credential_id}.")
    session.delete(found)
    after_commit(session, forget_known)


def revoke_all(*, session: Session, account_id: int, but: int | None = None, kind: CredentialKind | None = None) -> int:
    """Ends all sessions and tokens of the account at once, or those of one kind. Returns their number."""
    statement = delete(Credential).where(Credential.account_id == account_id)
    if but is not None:
        statement = statement.where(Credential.id != but)
    if kind is not None:
        statement = statement.where(Credential.kind == kind)
    ended = len(session.scalars(statement.returning(Credential.id)).all())
    after_commit(session, forget_known)
    return ended
