"""Requests that are under way at the provider, and the accounts of identities."""

import re
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from patina.account import link, service
from patina.account.models import NAME_PATTERN, Account
from patina.account.role import Role
from patina.account.secret import digest_of
from patina.db import database_time, take_turn
from patina.errors import NotFound, PatinaError
from patina.openid.models import OpenidRequest, ProviderIdentity
from patina.openid.provider import Claims

LIFE = timedelta(minutes=15)

StateUnknown = PatinaError.of("openid_state_unknown", "This sign-in is over", status=410)
NoAccount = PatinaError.of("identity_unknown", "No account has this identity", status=403)
AccountClosed = PatinaError.of("account_closed", "The account is closed", status=403)
IdentityTaken = PatinaError.of("identity_taken", "This identity signs in to an account", status=409)
IdentityConnected = PatinaError.of("identity_connected", "The account has an identity", status=409)
IdentityNeeded = PatinaError.of("identity_needed", "The account has no password", status=409)
IdentityMissing = NotFound.of("identity_missing", "The account has no identity")


def add_request(*, session: Session, made: OpenidRequest) -> None:
    """Stores a request until it is taken or expires, and forgets those that have expired."""
    session.execute(delete(OpenidRequest).where(OpenidRequest.expires_at <= database_time()))
    session.add(made)


def take_request(*, session: Session, state: str, browser: str) -> OpenidRequest:
    """Returns the request of this browser, which cannot be taken again. Raises StateUnknown."""
    taken: OpenidRequest | None = session.scalar(
        delete(OpenidRequest)
        .where(
            OpenidRequest.state_digest == digest_of(state),
            OpenidRequest.browser_digest == digest_of(browser),
            OpenidRequest.expires_at > database_time(),
        )
        .returning(OpenidRequest)
    )
    if taken is None:
        raise StateUnknown(
            "It was finished before, took longer than 15 minutes, or began in another browser. Sign in again."
        )
    return taken


def find_identity(*, session: Session, account_id: int, issuer: str) -> ProviderIdentity | None:
    """Returns the identity that signs in to the account."""
    return session.scalar(
        select(ProviderIdentity).where(ProviderIdentity.account_id == account_id, ProviderIdentity.issuer == issuer)
    )


def identities_of(*, session: Session, issuer: str) -> dict[int, ProviderIdentity]:
    """Returns the identities of this issuer by the number of their account."""
    found = session.scalars(select(ProviderIdentity).where(ProviderIdentity.issuer == issuer))
    return {identity.account_id: identity for identity in found}


def sign_in(*, session: Session, claims: Claims, new_role: Role | None) -> Account:
    """Returns the account of the identity; if there is none, makes one with the role.

    Raises NoAccount, and AccountClosed.
    """
    take_turn(session, "provider_identity")
    found = _find(session, claims)
    if found is None:
        if new_role is None:
            raise NoAccount(
                f"{claims.title} has no account on this server. Ask an owner for an invitation; or, if you have an "
                "account, sign in with its password and connect the two on the page Account."
            )
        name = _free_name(session, claims)
        account = service.add_account(session=session, name=name, role=new_role, password_hash=None)
        _add(session, account, claims)
        return account
    account = session.get_one(Account, found.account_id)
    if account.closed_at is not None:
        raise AccountClosed(f"The account {account.name} is closed. An owner of this server can open it.")
    found.title = claims.title
    return account


def join(*, session: Session, claims: Claims, link_id: int, name: str) -> Account:
    """Makes the account of an invitation, for this identity. Raises IdentityTaken, LinkRefused, AccountNameTaken."""
    take_turn(session, "provider_identity")
    _require_free(_find(session, claims), claims)
    account = link.join(session=session, link_id=link_id, name=name)
    _add(session, account, claims)
    return account


def connect(*, session: Session, claims: Claims, account_id: int) -> Account:
    """Lets the identity sign in to the account. Raises IdentityTaken, IdentityConnected."""
    take_turn(session, "provider_identity")
    account = service.get_open_account(session=session, account_id=account_id)
    found = _find(session, claims)
    if found is not None and found.account_id == account.id:
        return account
    _require_free(found, claims)
    other = find_identity(session=session, account_id=account.id, issuer=claims.issuer)
    if other is not None:
        raise IdentityConnected(f"{account.name} is connected with {other.title}. Disconnect that identity first.")
    _add(session, account, claims)
    return account


def disconnect(*, session: Session, account_id: int, issuer: str) -> None:
    """Ends the right of the identity to sign in. Raises IdentityMissing, and IdentityNeeded without a password."""
    found = find_identity(session=session, account_id=account_id, issuer=issuer)
    if found is None:
        raise IdentityMissing("Your account is connected with no identity.")
    if session.get_one(Account, account_id).password_hash is None:
        raise IdentityNeeded("You could not sign in again. Set a password first.")
    session.delete(found)


def _find(session: Session, claims: Claims) -> ProviderIdentity | None:
    return session.scalar(
        select(ProviderIdentity).where(
            ProviderIdentity.issuer == claims.issuer, ProviderIdentity.subject == claims.subject
        )
    )


def _require_free(found: ProviderIdentity | None, claims: Claims) -> None:
    if found is not None:
        raise IdentityTaken(f"{claims.title} signs in to another account of this server. Sign in to that one instead.")


def _add(session: Session, account: Account, claims: Claims) -> None:
    session.add(
        ProviderIdentity(account_id=account.id, issuer=claims.issuer, subject=claims.subject, title=claims.title)
    )
    session.flush()


def _free_name(session: Session, claims: Claims) -> str:
    """Returns a name for an account that none has: the user's at the provider, as far as it is one here."""
    names = (re.sub(r"[^a-z0-9._-]+", "-", word.partition("@")[0].lower()).strip("._-")[:35] for word in claims.names)
    base = next((name for name in names if re.match(NAME_PATTERN, name)), "user")
    count = 1
    while True:
        name = base if count == 1 else f"{base}-{count}"
        if not service.is_name_taken(session=session, name=name):
            return name
        count += 1
