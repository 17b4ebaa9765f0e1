"""Fixtures of accounts: a browser that keeps cookies, an account with a password, a provider of OpenID Connect."""

from collections.abc import Callable, Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from patina.account import limit, password
from patina.account.role import Role
from patina.account.service import add_account
from patina.db import transaction
from patina.openid.provider import forget_provider
from patina.settings import forget_settings
from people import PASSWORD, client_with
from signing_provider import CLIENT_ID, CLIENT_SECRET, SigningProvider


@pytest.fixture
def browser(app: FastAPI, client: TestClient) -> Iterator[TestClient]:
    """Yields a client without a credential, that keeps cookies."""
    with client_with(app) as stranger:
        yield stranger


@pytest.fixture
def ada(client: TestClient) -> int:
    """Returns the account of a member with a password."""
    with transaction() as session:
        hashed = password.hashed(PASSWORD)
        return add_account(session=session, name="ada", role=Role.MEMBER, password_hash=hashed).id


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Yields a function that sets settings, by the part of their names behind PATINA_OPENID_."""

    def _set(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(f"PATINA_OPENID_{name.upper()}", value)
        forget_settings()

    yield _set
    monkeypatch.undo()
    forget_settings()


@pytest.fixture(scope="module")
def any_provider() -> Iterator[SigningProvider]:
    """Yields one provider for all tests of a module: a key takes a second to make."""
    made = SigningProvider()
    yield made
    made.close()


@pytest.fixture
def provider(any_provider: SigningProvider, configure: Callable[..., None]) -> SigningProvider:
    """Returns a provider that answers correctly, and is that of the settings."""
    any_provider.answer_correctly()
    configure(issuer=any_provider.issuer, client_id=CLIENT_ID, client_secret=CLIENT_SECRET, name="Example ID")
    forget_provider()
    limit.forget()
    return any_provider
