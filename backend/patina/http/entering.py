"""What the ways to sign in have in common: the session of the account, its cookie, and the audit trail."""

from collections.abc import Callable
from typing import TypeVar

from anyio import to_thread
from fastapi import Request, Response
from sqlalchemy.orm import Session

from patina.account import credential
from patina.account.models import Account
from patina.account.schemas import AccountRead
from patina.audit.recording import recorded
from patina.http.sender import cookie_name, set_cookie, source_of

Result = TypeVar("Result")


async def enter(request: Request, response: Response, action: str, find: Callable[[Session], Account]) -> AccountRead:
    """Opens a session of the account that `find` returns, in the same transaction, and sets its cookie."""

    def _open(session: Session) -> tuple[AccountRead, str]:
        account = find(session)
        title = request.headers.get("user-agent", "")
        return AccountRead.model_validate(account), credential.open_session(
            session=session, account=account, title=title
        )

    account, secret = await change_recorded(request, action, _open)
    set_cookie(response, cookie_name(request), secret, days=credential.SESSION_DAYS)
    return account


async def change_recorded(request: Request, action: str, change: Callable[[Session], Result]) -> Result:
    """Calls `change` in a thread, in a transaction that the audit trail records."""

    def _change() -> Result:
        with recorded(source_of(request, action)) as session:
            return change(session)

    return await to_thread.run_sync(_change)
