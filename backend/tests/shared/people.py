"""Accounts of other roles, each with a client of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from fastapi import FastAPI
from fastapi.testclient import TestClient

from patina.account.credential import make_token
from patina.account.role import Role
from patina.account.service import add_account
from patina.db import transaction
from patina_dev.testing.planted import PASSWORD

__all__ = ["PASSWORD", "client_with", "token_of"]

BASE_URL = "http://127.0.0.1"


def token_of(name: str, role: Role, most: Role | None = None) -> str:
    """Makes an account. Returns an access token of it, of the role `most`."""
    with transaction() as session:
        account = add_account(session=session, name=name, role=role, password_hash=None)
        _, token = make_token(
            session=session,
            account_id=account.id,
            most=role,
            title="of a test",
            role=most or role,
            expires_in=timedelta(hours=1),
        )
        return token


@contextmanager
def client_with(app: FastAPI, token: str | None = None) -> Iterator[TestClient]:
    """Yields a client that sends the token; a stranger's without one. It has the state of an application that runs."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    test_client = TestClient(app, base_url=BASE_URL, client=("127.0.0.1", 50_000), headers=headers)
    yield test_client
    test_client.close()
