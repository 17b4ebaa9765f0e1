"""Requests of a browser that signs in through a provider."""

from typing import Any

from fastapi.testclient import TestClient

from patina.db import transaction
from patina.openid.models import ProviderIdentity
from signing_provider import SUBJECT, SigningProvider


def begin(browser: TestClient, **asked: object) -> Any:
    return browser.post("/api/v1/openid/requests", json=asked)


def finish(browser: TestClient, **brought: object) -> Any:
    return browser.post("/api/v1/openid/sessions", json=brought)


def sign_in(browser: TestClient, provider: SigningProvider, **asked: object) -> Any:
    answer = begin(browser, **asked)
    assert answer.status_code == 201, answer.text
    return finish(browser, **provider.admit(answer.json()["url"]))


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def me(browser: TestClient) -> Any:
    return browser.get("/api/v1/me").json()


def bind(provider: SigningProvider, account_id: int, subject: str = SUBJECT) -> None:
    with transaction() as session:
        session.add(ProviderIdentity(account_id=account_id, issuer=provider.issuer, subject=subject, title="before"))
