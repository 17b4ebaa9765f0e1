"""Signing in through a provider: what is asked of it, and which account is signed in to.

The provider is one whose answers the tests decide; openid.spec.ts has a real one.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import ValidationError
from sqlalchemy import select, text, update

from openid_requests import begin, bind, code, finish, me, sign_in
from patina.account import limit
from patina.account.link import make_owner_link
from patina.account.models import Account
from patina.account.role import Role
from patina.account.service import add_account, change_account
from patina.db import database_time, transaction
from patina.openid.models import OpenidRequest
from patina.settings import Settings, forget_settings
from patina_dev.testing.owner import SESSION
from people import PASSWORD, client_with, token_of
from signing_provider import CLIENT_ID, SigningProvider

Set = Callable[..., None]


def test_without_a_provider_there_is_no_name_and_no_sign_in(browser: TestClient) -> None:
    assert me(browser)["provider"] is None
    assert code(begin(browser)) == (404, "openid_off")
    assert code(finish(browser, state="x", code="y")) == (404, "openid_off")
    browser.headers["Authorization"] = f"Bearer {token_of('bo', Role.OWNER)}"
    assert code(browser.delete("/api/v1/me/identity")) == (404, "openid_off")


@pytest.mark.parametrize(
    "wrong",
    [
        {"issuer": "https://id.example.org"},
        {"issuer": "http://id.example.org", "client_id": "a", "client_secret": "b"},
        {"issuer": "http://127.0.0.1.example.org", "client_id": "a", "client_secret": "b"},
        {"new_role": "owner"},
        {"claim": "groups"},
    ],
)
def test_settings_that_could_not_work_end_the_start(configure: Set, wrong: dict[str, str]) -> None:
    configure(**wrong)
    with pytest.raises(ValidationError):
        Settings()


def test_the_secret_of_the_client_may_come_from_a_file_and_is_not_shown(
    configure: Set, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "secret").write_text("of-a-file\n", encoding="utf-8")
    monkeypatch.setenv("PATINA_OPENID_CLIENT_SECRET_FILE", str(tmp_path / "secret"))
    configure(issuer="https://id.example.org", client_id="a")
    read = Settings()
    assert read.openid_client_secret.get_secret_value() == "of-a-file"
    assert "of-a-file" not in repr(read)
    configure(new_role="owner")
    with pytest.raises(ValidationError) as refused:
        Settings()
    assert "of-a-file" not in str(refused.value)


def test_the_browser_is_sent_with_state_nonce_and_challenge(browser: TestClient, provider: SigningProvider) -> None:
    answer = begin(browser, return_path="/runs")
    [cookie] = answer.headers.get_list("set-cookie")
    assert cookie.startswith("patina_80_openid=patina-browser-")
    assert {"HttpOnly", "SameSite=lax"} <= set(re.split("; ?", cookie))
    provider.admit(answer.json()["url"])
    assert answer.json()["url"].startswith(f"{provider.issuer}/authorize?")
    sent = provider.sent
    fixed = {
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": "http://127.0.0.1/openid",
        "scope": "openid profile email",
        "code_challenge_method": "S256",
    }
    assert fixed.items() <= sent.items()
    assert set(sent) - set(fixed) == {"state", "nonce", "code_challenge"}
    with transaction() as session:
        stored = str(session.scalars(text("SELECT openid_request::text FROM openid_request")).all())
    assert sent["state"] not in stored


def test_behind_tls_the_provider_sends_the_browser_to_the_advertised_address(
    browser: TestClient, provider: SigningProvider, configure: Set, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATINA_ADVERTISED_URL", "https://patina.lab/")
    forget_settings()
    answer = begin(browser)
    provider.admit(answer.json()["url"])
    assert provider.sent["redirect_uri"] == "https://patina.lab/openid"
    [cookie] = answer.headers.get_list("set-cookie")
    assert cookie.startswith("__Host-patina_openid=")
    assert "; Secure" in cookie


def test_an_identity_signs_in_to_its_account(browser: TestClient, provider: SigningProvider, ada: int) -> None:
    bind(provider, ada)
    answer = sign_in(browser, provider, return_path="/images?q=a#b")
    assert answer.status_code == 200, answer.text
    assert answer.json()["account"]["name"] == "ada"
    assert answer.json()["return_path"] == "/images?q=a#b"
    assert me(browser)["account"]["id"] == ada
    assert me(browser)["identity"]["title"] == "ada@example.org"
    assert me(browser)["provider"] == "Example ID"


@pytest.mark.parametrize(
    "path",
    ["//evil.example", "/\\evil.example", "https://evil.example", "", "runs", "/\t/evil.example", "/a b", "/a\n"],
)
def test_a_page_of_another_server_is_no_page_to_return_to(
    browser: TestClient, provider: SigningProvider, path: str
) -> None:
    assert code(begin(browser, return_path=path)) == (422, "request_invalid")


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"link_token": "x"}, "come together"),
        ({"name": "bo"}, "come together"),
        ({"link_token": "x", "name": "bo", "is_connecting": True}, "not both"),
    ],
)
def test_a_request_has_one_purpose(
    browser: TestClient, provider: SigningProvider, asked: dict[str, object], what: str
) -> None:
    answer = begin(browser, **asked)
    assert code(answer) == (422, "request_invalid")
    assert what in answer.json()["detail"]


def test_a_state_works_once_in_the_browser_that_it_was_made_for(
    app: FastAPI, browser: TestClient, provider: SigningProvider, ada: int
) -> None:
    bind(provider, ada)
    brought = provider.admit(begin(browser).json()["url"])
    with client_with(app) as other:
        begin(other)  # has a cookie of its own
        assert code(finish(other, **brought)) == (410, "openid_state_unknown")
    assert finish(browser, **brought).status_code == 200
    assert code(finish(browser, **brought)) == (410, "openid_state_unknown")


def test_two_pages_of_a_browser_may_sign_in_at_once(browser: TestClient, provider: SigningProvider, ada: int) -> None:
    bind(provider, ada)
    first, second = begin(browser).json()["url"], begin(browser).json()["url"]
    assert finish(browser, **provider.admit(first)).status_code == 200
    assert finish(browser, **provider.admit(second)).status_code == 200


def test_a_state_expires(browser: TestClient, provider: SigningProvider, ada: int) -> None:
    bind(provider, ada)
    brought = provider.admit(begin(browser).json()["url"])
    with transaction() as session:
        session.execute(update(OpenidRequest).values(expires_at=database_time()))
    assert code(finish(browser, **brought)) == (410, "openid_state_unknown")
    begin(browser)
    with transaction() as session:
        assert len(session.scalars(select(OpenidRequest)).all()) == 1, "the expired one is forgotten"


def test_failures_are_limited_by_address_and_recorded(
    client: TestClient, browser: TestClient, provider: SigningProvider
) -> None:
    assert code(sign_in(browser, provider)) == (403, "identity_unknown")
    [entry] = client.get("/api/v1/audit", params={"action": "finish_openid"}).json()["items"]
    assert (entry["outcome"], entry["account_name"]) == ("refused", "ada@example.org")
    assert entry["detail"] == {"code": "identity_unknown"}
    for _ in range(limit.OF_AN_ADDRESS.amount - 1):
        limit.count(limit.OF_AN_ADDRESS, "127.0.0.1")
    assert code(sign_in(browser, provider)) == (429, "too_many_tries")


def test_beginnings_are_limited_by_address(browser: TestClient, provider: SigningProvider) -> None:
    for _ in range(limit.OF_SECRETS.amount):
        limit.count(limit.OF_SECRETS, "127.0.0.1")
    assert code(begin(browser)) == (429, "too_many_tries")


def test_a_sign_in_is_recorded(client: TestClient, browser: TestClient, provider: SigningProvider, ada: int) -> None:
    bind(provider, ada)
    sign_in(browser, provider)
    [entry] = client.get("/api/v1/audit", params={"action": "finish_openid"}).json()["items"]
    assert entry["outcome"] == "done"
    assert entry["detail"]["made"][0].startswith("credential")


def test_the_address_alone_makes_no_account(browser: TestClient, provider: SigningProvider, ada: int) -> None:
    bind(provider, ada, subject="another subject with the same e-mail address")
    answer = sign_in(browser, provider)
    assert code(answer) == (403, "identity_unknown")
    assert "Ask an owner for an invitation" in answer.json()["detail"]
    assert me(browser)["account"] is None


def test_a_closed_account_is_closed_for_its_identity_too(
    browser: TestClient, provider: SigningProvider, ada: int
) -> None:
    bind(provider, ada)
    sign_in(browser, provider)
    with transaction() as session:
        change_account(session=session, account_id=ada, is_closed=True)
    assert me(browser)["account"] is None
    assert code(sign_in(browser, provider)) == (403, "account_closed")


def test_sign_out_everywhere_ends_the_sessions_of_identities(
    app: FastAPI, browser: TestClient, provider: SigningProvider, ada: int
) -> None:
    bind(provider, ada)
    sign_in(browser, provider)
    with client_with(app) as elsewhere:
        sign_in(elsewhere, provider)
        assert elsewhere.delete("/api/v1/credentials").status_code == 204
    assert me(browser)["account"] is None


def test_a_first_sign_in_makes_an_account_of_the_configured_role(
    browser: TestClient, provider: SigningProvider, configure: Set, ada: int
) -> None:
    configure(new_role="viewer")
    account = sign_in(browser, provider).json()["account"]
    assert (account["name"], account["role"]) == ("ada.l", "viewer")
    again = sign_in(browser, provider).json()["account"]
    assert again["id"] == account["id"]
    provider.claims, provider.user_info = {"sub": "2"}, {"sub": "2", "preferred_username": "ADA@example.org"}
    assert sign_in(browser, provider).json()["account"]["name"] == "ada-2", "ada has another account"
    provider.claims, provider.user_info = {"sub": "3"}, {"sub": "3", "preferred_username": "李"}
    assert sign_in(browser, provider).json()["account"]["name"] == "user"


def test_an_invitation_makes_an_account_without_a_password(
    client: TestClient, browser: TestClient, provider: SigningProvider
) -> None:
    token = client.post("/api/v1/links", json={"role": "operator"}).json()["token"]
    answer = sign_in(browser, provider, link_token=token, name="bo")
    assert answer.status_code == 200, answer.text
    assert (answer.json()["account"]["name"], answer.json()["account"]["role"]) == ("bo", "operator")
    assert code(browser.delete("/api/v1/me/identity")) == (409, "identity_needed")
    assert code(begin(browser, link_token=token, name="cy")) == (410, "link_refused")
    [item] = [item for item in client.get("/api/v1/accounts").json()["items"] if item["name"] == "bo"]
    assert item["identity"]["title"] == "ada@example.org"
    other = client.post("/api/v1/links", json={"role": "viewer"}).json()["token"]
    assert code(sign_in(browser, provider, link_token=other, name="cy")) == (409, "identity_taken")
    assert browser.post("/api/v1/links/opening", json={"token": other}).status_code == 200, "the link is as it was"


def test_a_link_that_ends_on_the_way_makes_no_account(
    client: TestClient, browser: TestClient, provider: SigningProvider
) -> None:
    made = client.post("/api/v1/links", json={"role": "viewer"}).json()
    brought = provider.admit(begin(browser, link_token=made["token"], name="bo").json()["url"])
    browser.post("/api/v1/links/use", json={"token": made["token"], "name": "cy", "password": PASSWORD})
    assert code(finish(browser, **brought)) == (410, "link_refused")


def test_a_name_that_is_taken_is_refused_before_the_provider_is_asked(
    client: TestClient, browser: TestClient, provider: SigningProvider, ada: int
) -> None:
    token = client.post("/api/v1/links", json={"role": "viewer"}).json()["token"]
    assert code(begin(browser, link_token=token, name="ada")) == (409, "account_name_taken")
    entry = client.post(f"/api/v1/accounts/{ada}/links", json={}).json()["token"]
    assert code(begin(browser, link_token=entry, name="bo")) == (410, "link_refused")


def signed_in(browser: TestClient) -> None:
    assert browser.post("/api/v1/sessions", json={"name": "ada", "password": PASSWORD}).status_code == 200


def test_an_account_connects_an_identity_and_disconnects_it(
    browser: TestClient, provider: SigningProvider, ada: int
) -> None:
    signed_in(browser)
    for _ in range(2):  # a second time changes nothing
        answer = sign_in(browser, provider, is_connecting=True, return_path="/account")
        assert answer.status_code == 200, answer.text
        assert me(browser)["identity"]["title"] == "ada@example.org"
    provider.claims, provider.user_info = {"sub": "2"}, {"sub": "2"}
    assert code(sign_in(browser, provider, is_connecting=True)) == (409, "identity_connected")
    assert browser.delete("/api/v1/me/identity").status_code == 204
    assert me(browser)["identity"] is None
    assert code(browser.delete("/api/v1/me/identity")) == (404, "identity_missing")


def test_an_identity_of_another_account_is_not_connected(
    browser: TestClient, provider: SigningProvider, ada: int
) -> None:
    with transaction() as session:
        other = add_account(session=session, name="bo", role=Role.OWNER, password_hash=None).id
    bind(provider, other)
    signed_in(browser)
    assert code(sign_in(browser, provider, is_connecting=True)) == (409, "identity_taken")


def test_a_token_connects_nothing_since_an_identity_may_do_more(
    app: FastAPI, client: TestClient, provider: SigningProvider
) -> None:
    with client_with(app, token_of("bo", Role.OWNER, Role.VIEWER)) as program:
        assert code(begin(program, is_connecting=True)) == (403, "session_needed")
        assert code(program.delete("/api/v1/me/identity")) == (403, "session_needed")
    with client_with(app) as stranger:
        assert code(begin(stranger, is_connecting=True)) == (403, "session_needed")


def test_a_connection_is_made_for_the_account_that_began_it(
    browser: TestClient, provider: SigningProvider, ada: int
) -> None:
    signed_in(browser)
    brought = provider.admit(begin(browser, is_connecting=True).json()["url"])
    browser.cookies.set("patina_80", SESSION, domain="127.0.0.1")
    answer = finish(browser, **brought)
    assert code(answer) == (410, "openid_state_unknown")
    assert "another account" in answer.json()["detail"]


def test_an_owner_is_made_by_its_link(browser: TestClient, provider: SigningProvider) -> None:
    with transaction() as session:
        for account in session.scalars(select(Account)):
            account.role = Role.VIEWER
        session.flush()
        token = make_owner_link(session=session)
    answer = sign_in(browser, provider, link_token=token, name="first")
    assert answer.json()["account"]["role"] == "owner"
