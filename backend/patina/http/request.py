"""The session of a request. Separate from db.py, so that processes without requests do not load FastAPI."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends
from sqlalchemy.orm import Session

from patina.db import transaction


def _request_session() -> Iterator[Session]:
    with transaction() as session:
        yield session


# scope="function": the transaction ends (and tasks are sent) before the response leaves.
RequestSession = Annotated[Session, Depends(_request_session, scope="function")]
