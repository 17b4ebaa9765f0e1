"""Accounts: making, changing and closing them."""

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from patina.account.credential import revoke_all
from patina.account.known import forget_known
from patina.account.models import Account, CredentialKind
from patina.account.role import Role
from patina.db import after_commit, take_turn
from patina.errors import NotFound, PatinaError

AccountUnknown = NotFound.of("account_unknown", "No such account")
AccountNameTaken = PatinaError.of("account_name_taken", "This name is taken", status=409)
LastOwner = PatinaError.of("last_owner", "The last owner stays an owner", status=409)


def has_owner(*, session: Session) -> bool:
    """Returns whether this server has an owner."""
    return bool(session.scalar(select(exists().where(Account.role == Role.OWNER, Account.closed_at.is_(None)))))


def list_accounts(*, session: Session) -> list[Account]:
    """Returns every account by name, closed ones too."""
    return list(session.scalars(select(Account).order_by(Account.name)))


def find_by_name(*, session: Session, name: str) -> Account | None:
    """Returns the open account of this name."""
    return session.scalar(select(Account).where(Account.name == name, Account.closed_at.is_(None)))


def get_open_account(*, session: Session, account_id: int) -> Account:
    """Returns an account that is not closed. Raises AccountUnknown."""
    found = session.get(Account, account_id)
    if found is None or found.closed_at is not None:
        raise AccountUnknown(f"There is no open account {account_id}.")
    return found


def is_name_taken(*, session: Session, name: str) -> bool:
    """Returns whether an account has this name, also a closed one."""
    return bool(session.scalar(select(exists().where(Account.name == name))))


def require_free_name(*, session: Session, name: str) -> None:
    """Raises AccountNameTaken."""
    if is_name_taken(session=session, name=name):
        raise AccountNameTaken(f"There is an account {name!r}. Choose another name.")


def add_account(*, session: Session, name: str, role: Role, password_hash: str | None) -> Account:
    """Makes an account. Raises AccountNameTaken."""
    take_turn(session, "account")
    require_free_name(session=session, name=name)
    account = Account(name=name, role=role, password_hash=password_hash)
    session.add(account)
    session.flush()
    return account


def set_password(*, session: Session, account: Account, password_hash: str, but: int | None = None) -> None:
    """Sets the password, and ends the sessions of all browsers but one."""
    account.password_hash = password_hash
    revoke_all(session=session, account_id=account.id, but=but, kind=CredentialKind.SESSION)


def change_account(
    *, session: Session, account_id: int, role: Role | None = None, is_closed: bool | None = None
) -> Account:
    """Changes the role; closes the account, which ends its sessions and tokens, or opens it again.

    Raises AccountUnknown, and LastOwner.
    """
    take_turn(session, "account")
    account = session.get(Account, account_id)
    if account is None:
        raise AccountUnknown(f"There is no account {account_id}.")
    was_owner = account.role == Role.OWNER and account.closed_at is None
    if role is not None:
        account.role = role
    if is_closed is True and account.closed_at is None:
        account.closed_at = func.now()
        revoke_all(session=session, account_id=account.id)
    if is_closed is False:
        account.closed_at = None
    session.flush()
    if was_owner and not has_owner(session=session):
        raise LastOwner(f"{account.name} is the only owner of this server. Make another account an owner first.")
    session.refresh(account)
    after_commit(session, forget_known)
    return account
