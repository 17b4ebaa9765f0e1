"""`python -m patina.use_case.access link [NAME]`, or `demo NAME`: access for who administers the database.

Prints one line of JSON: `token` of a link, or null; of `demo` also `access_token`.
"""

import json
import re
import sys
from datetime import timedelta

from sqlalchemy.orm import Session

import patina.tables  # noqa: F401  # those that the rows of accounts refer to
from patina.account import credential, link, service
from patina.account.models import NAME_PATTERN, Account
from patina.account.role import Role
from patina.audit.recording import Source, recorded

ENTRY_HOURS = 24
TOKEN_DAYS = 90
BY_HAND = "administrator of the server"


def _source(action: str) -> Source:
    return Source(actor=None, address="local", action=action, path="")


def first_link() -> str | None:
    """Returns the token of a new link for the first owner; None if there is an owner."""
    with recorded(_source("first_link"), name=BY_HAND) as session:
        return None if service.has_owner(session=session) else link.make_owner_link(session=session)


def entry_link(name: str | None) -> str | None:
    """Returns the token of a link that signs in to the account, or to the first owner; None if there is none."""
    with recorded(_source("make_entry_link"), name=BY_HAND) as session:
        account = _account(session, name)
        if account is None:
            return None
        return link.make_entry(session=session, account_id=account.id, expires_in=timedelta(hours=ENTRY_HOURS))[1]


def demo_access(name: str) -> dict[str, str]:
    """Makes the owner `name` without a password, unless there is an owner. Returns its entry link and access token."""
    with recorded(_source("demo"), name=BY_HAND) as session:
        account = _account(session, None) or service.add_account(
            session=session, name=name, role=Role.OWNER, password_hash=None
        )
        _, access_token = credential.make_token(
            session=session,
            account_id=account.id,
            most=Role.OWNER,
            title="make demo",
            role=Role.OWNER,
            expires_in=timedelta(days=TOKEN_DAYS),
        )
        _, token = link.make_entry(session=session, account_id=account.id, expires_in=timedelta(hours=ENTRY_HOURS))
    return {"token": token, "access_token": access_token, "name": account.name}


def _account(session: Session, name: str | None) -> Account | None:
    if name is not None:
        return service.find_by_name(session=session, name=name)
    accounts = service.list_accounts(session=session)
    return next((account for account in accounts if account.role == Role.OWNER and account.closed_at is None), None)


def main() -> None:
    """Runs one command."""
    command, *names = sys.argv[1:]
    said: dict[str, str] | dict[str, str | None]
    if command == "demo":
        said = demo_access(names[0] if re.match(NAME_PATTERN, names[0]) else "owner")
    else:
        said = {"token": (None if names else first_link()) or entry_link(names[0] if names else None)}
    print(json.dumps(said))  # noqa: T201


if __name__ == "__main__":
    main()
