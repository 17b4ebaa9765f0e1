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

__all__ = ["PASSWORD", "People", "client_with", "token_of"]

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


class People:
    """ada and bob of the team lab, vi, a viewer of it; eve and vera, a viewer, of another team; olga, an operator."""

    def __init__(self, app: FastAPI, owner: TestClient) -> None:
        roles = {name: Role.MEMBER for name in ("ada", "bob", "eve")} | {"olga": Role.OPERATOR}
        roles |= dict.fromkeys(("vi", "vera"), Role.VIEWER)
        self.client = {name: next(self._open(app, name, role)) for name, role in roles.items()}
        accounts = {item["name"]: item["id"] for item in owner.get("/api/v1/accounts").json()["items"]}
        self.account_id = accounts
        self.team_id = self._team(owner, "lab", "ada", "bob", "vi")
        self.other_team_id = self._team(owner, "others", "eve", "vera")

    def _open(self, app: FastAPI, name: str, role: Role) -> Iterator[TestClient]:
        with client_with(app, token_of(name, role)) as client:
            yield client

    def _team(self, owner: TestClient, name: str, *members: str) -> int:
        team_id = int(owner.post("/api/v1/teams", json={"name": name}).json()["id"])
        for member in members:
            answer = owner.put(f"/api/v1/teams/{team_id}/members/{self.account_id[member]}")
            assert answer.status_code == 200, answer.text
        return team_id
