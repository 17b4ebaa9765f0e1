"""The session of a request. Separate from db.py, so that processes without requests do not load FastAPI."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from patina.account.actor import Actor
from patina.audit.recording import recorded
from patina.db import transaction
from patina.http.guard import SAFE_METHODS
from patina.http.sender import source_of


def _request_session(request: Request) -> Iterator[Session]:
    """Yields the session. The change of an unsafe request is recorded with it in the audit trail."""
    is_safe = request.method in SAFE_METHODS
    with transaction() if is_safe else recorded(source_of(request, request.scope["route"].action)) as session:
        yield session


def _sender(request: Request) -> Actor:
    """Returns the account of a request to a route with a right."""
    actor: Actor = request.state.actor
    return actor


# scope="function": the transaction ends (and tasks are sent) before the response leaves.
RequestSession = Annotated[Session, Depends(_request_session, scope="function")]
Sender = Annotated[Actor, Depends(_sender)]
