"""Signing in and out: passwords, sessions, access tokens, links, and their limits."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from limits import RateLimitItemPerYear
from sqlalchemy import func, select, text

from patina.account import known, limit, link
from patina.account.models import Account, AccountLink, Credential
from patina.account.role import Role
from patina.account.service import add_account
from patina.db import transaction
from patina.settings import forget_settings
from patina_dev.testing.owner import HEADERS
from patina_dev.testing.served import ServedApp
from patina_dev.testing.wait import HANG_S
from people import PASSWORD, client_with, token_of


@pytest.fixture(autouse=True)
def fresh_limits() -> None:
    limit.forget()


def sign_in(browser: TestClient, word: str = PASSWORD, name: str = "ada") -> Any:
    return browser.post("/api/v1/sessions", json={"name": name, "password": word})


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def me(browser: TestClient) -> Any:
    return browser.get("/api/v1/me").json()


def test_a_session_is_a_cookie_that_no_script_and_no_other_site_can_use(browser: TestClient, ada: int) -> None:
    answer = sign_in(browser)
    assert (answer.status_code, answer.json()["name"]) == (200, "ada")
    [cookie] = answer.headers.get_list("set-cookie")
    name, *attributes = re.split("; ?", cookie)
    assert name.startswith("patina_80=patina-session-")
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(attributes)
    assert "Secure" not in attributes
    assert me(browser)["account"]["name"] == "ada"
    assert browser.get("/api/v1/images").status_code == 200


def test_behind_tls_the_cookie_is_for_this_host_and_encrypted_connections_only(
    browser: TestClient, ada: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATINA_ADVERTISED_URL", "https://patina.lab")
    forget_settings()
    [cookie] = sign_in(browser).headers.get_list("set-cookie")
    monkeypatch.undo()
    forget_settings()
    assert cookie.startswith("__Host-patina=")
    assert "; Secure" in cookie


def test_the_database_has_no_secret_in_plain_text(browser: TestClient, ada: int) -> None:
    session_secret = sign_in(browser).cookies["patina_80"]
    made = browser.post("/api/v1/tokens", json={"title": "ci", "role": "viewer", "expires_in_s": 3600}).json()
    with transaction() as session:
        rows = [
            str(row)
            for name in ("account", "credential", "account_link", "audit_entry")
            for row in session.execute(text(f"SELECT {name}::text FROM {name}")).scalars()
        ]
    stored = "\n".join(rows)
    assert all(secret not in stored for secret in (session_secret, made["token"], PASSWORD))
    assert "$argon2id$v=19$m=65536,t=3,p=4$" in stored


@pytest.mark.parametrize(("name", "word"), [("ada", "wrong"), ("eve", PASSWORD), ("", "x"), ("ada\x00", "x")])
def test_a_wrong_name_and_a_wrong_password_are_refused_alike(
    browser: TestClient, ada: int, name: str, word: str
) -> None:
    answer = sign_in(browser, word, name)
    assert code(answer) == (401, "sign_in_refused") if "\x00" not in name else answer.status_code in (401, 422)
    assert "set-cookie" not in answer.headers


def test_tries_of_one_name_are_limited_and_others_go_on(browser: TestClient, ada: int) -> None:
    for _ in range(limit.OF_A_NAME.amount):
        limit.count(limit.OF_A_NAME, "127.0.0.1", "ada")
    answer = sign_in(browser)
    assert code(answer) == (429, "too_many_tries")
    assert 0 < int(answer.headers["retry-after"]) <= 300
    assert code(sign_in(browser, name="eve")) == (401, "sign_in_refused")


def test_a_wrong_password_counts_and_a_right_one_does_not(browser: TestClient, ada: int) -> None:
    sign_in(browser, "wrong")
    sign_in(browser)
    left = limit.OF_A_NAME.amount - 1
    for _ in range(left):
        assert sign_in(browser).status_code == 200
        limit.count(limit.OF_A_NAME, "127.0.0.1", "ada")
    assert code(sign_in(browser)) == (429, "too_many_tries")


def test_unknown_tokens_and_links_of_an_address_are_limited_and_known_ones_go_on(
    app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limit, "OF_SECRETS", RateLimitItemPerYear(2))
    unknown = {"token": "patina-link-unknown"}
    with client_with(app, "patina-token-unknown") as guesser:
        assert code(guesser.get("/api/v1/images")) == (401, "sign_in_required")
        assert code(guesser.get("/api/v1/images")) == (401, "sign_in_required")
        assert code(guesser.get("/api/v1/images")) == (429, "too_many_tries")
        del guesser.headers["Authorization"]
        assert code(guesser.post("/api/v1/links/opening", json=unknown)) == (429, "too_many_tries")
    with client_with(app, token_of("ada", Role.VIEWER)) as other:
        assert other.get("/api/v1/images").status_code == 200


def test_signing_out_ends_the_session_at_once(browser: TestClient, ada: int) -> None:
    secret = sign_in(browser).cookies["patina_80"]
    assert browser.delete("/api/v1/sessions/current").status_code == 204
    assert me(browser)["account"] is None
    browser.cookies.set("patina_80", secret)  # as a thief of the cookie would
    assert me(browser)["account"] is None
    assert browser.delete("/api/v1/sessions/current").status_code == 204


def test_signing_out_everywhere_leaves_this_session_alone(app: FastAPI, browser: TestClient, ada: int) -> None:
    sign_in(browser)
    token = browser.post("/api/v1/tokens", json={"title": "ci", "role": "member", "expires_in_s": 3600}).json()["token"]
    with client_with(app) as other, client_with(app, token) as program:
        sign_in(other)
        assert len(browser.get("/api/v1/credentials").json()["items"]) == 3
        assert browser.delete("/api/v1/credentials").status_code == 204
        assert code(other.get("/api/v1/images")) == code(program.get("/api/v1/images")) == (401, "sign_in_required")
    [left] = browser.get("/api/v1/credentials").json()["items"]
    assert (left["is_current"], left["kind"]) == (True, "session")


def test_a_new_password_ends_the_other_sessions(app: FastAPI, browser: TestClient, ada: int) -> None:
    sign_in(browser)
    with client_with(app) as other:
        sign_in(other)
        change = {"current": "wrong", "password": "another long password"}
        assert code(browser.put("/api/v1/me/password", json=change)) == (403, "password_wrong")
        change["current"] = PASSWORD
        short = change | {"password": "short"}
        assert code(browser.put("/api/v1/me/password", json=short)) == (422, "password_too_short")
        assert browser.put("/api/v1/me/password", json=change).status_code == 204
        assert me(other)["account"] is None
        assert me(browser)["account"]["name"] == "ada"
        assert code(sign_in(other)) == (401, "sign_in_refused")
        assert sign_in(other, "another long password").status_code == 200


def test_an_access_token_may_do_no_more_than_its_role_and_its_account(app: FastAPI, client: TestClient) -> None:
    with client_with(app, token_of("op", Role.OPERATOR, most=Role.VIEWER)) as program:
        assert program.get("/api/v1/images").status_code == 200
        assert code(program.post("/api/v1/runs", json={})) == (403, "right_missing")
        more = {"title": "more", "role": "member", "expires_in_s": 60}
        assert code(program.post("/api/v1/tokens", json=more)) == (403, "role_too_high")


def test_a_role_that_was_taken_away_limits_tokens_made_before(app: FastAPI, client: TestClient) -> None:
    token = token_of("op", Role.OPERATOR)
    with client_with(app, token) as program:
        assert program.get("/api/v1/webhooks").status_code == 200
        [account] = [item for item in client.get("/api/v1/accounts").json()["items"] if item["name"] == "op"]
        assert client.patch(f"/api/v1/accounts/{account['id']}", json={"role": "viewer"}).status_code == 200
        assert code(program.get("/api/v1/webhooks")) == (403, "right_missing")
        assert client.patch(f"/api/v1/accounts/{account['id']}", json={"is_closed": True}).status_code == 200
        assert code(program.get("/api/v1/images")) == (401, "sign_in_required")


def test_http_basic_takes_a_token_as_its_password(app: FastAPI, client: TestClient) -> None:
    token = token_of("prometheus", Role.VIEWER)
    with client_with(app) as scraper:
        assert scraper.get("/metrics", auth=("anything", token)).status_code == 200
        assert code(scraper.get("/metrics", auth=("anything", "wrong"))) == (401, "sign_in_required")
        assert scraper.get("/metrics", headers={"Authorization": "Basic %%%"}).status_code == 401


def test_expired_sessions_and_tokens_are_strangers(app: FastAPI, client: TestClient) -> None:
    token = token_of("old", Role.OWNER)
    with transaction() as session:
        for row in session.scalars(select(Credential)):
            row.expires_at = func.now()
    known.forget_known()
    with client_with(app, token) as program:
        assert code(program.get("/api/v1/images")) == (401, "sign_in_required")


def test_a_revocation_during_a_look_up_is_not_forgotten() -> None:
    changes = known.changes_count()
    known.forget_known()
    known.keep("digest", object(), changes=changes)  # type: ignore[arg-type]
    assert known.known("digest") is None


def test_one_may_not_revoke_anothers_token(app: FastAPI, client: TestClient) -> None:
    token_of("ada", Role.MEMBER)
    with transaction() as session:
        theirs = session.scalars(select(Credential.id).order_by(Credential.id.desc())).first()
    with client_with(app, token_of("eve", Role.OPERATOR)) as eve:
        assert code(eve.delete(f"/api/v1/credentials/{theirs}")) == (404, "credential_unknown")


def test_an_account_has_a_limited_number_of_tokens(
    app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patina.account.credential.MOST_COUNT", 2)
    body = {"title": "one of many", "role": "viewer", "expires_in_s": 60}
    with client_with(app, token_of("many", Role.VIEWER)) as program:
        assert program.post("/api/v1/tokens", json=body).status_code == 201
        assert code(program.post("/api/v1/tokens", json=body)) == (409, "too_many_credentials")


def new_server() -> str:
    """Removes the owner of the tests. Returns the token of the first link."""
    with transaction() as session:
        session.execute(text("DELETE FROM credential"))
        session.execute(text("DELETE FROM account"))
        known.forget_known()
        return link.make_owner_link(session=session)


def use(browser: TestClient, token: str, **what: str) -> Any:
    return browser.post("/api/v1/links/use", json={"token": token} | what)


def test_the_first_link_makes_the_owner_once(app: FastAPI, browser: TestClient) -> None:
    token = new_server()
    answer = browser.get("/api/v1/images")
    assert code(answer) == (401, "owner_missing")
    assert "make run" in answer.json()["detail"]
    stranger: dict[str, Any] = {"account": None, "teams": [], "role": None, "provider": None, "identity": None}
    assert me(browser) == stranger | {"is_owned": False}
    opened = browser.post("/api/v1/links/opening", json={"token": token}).json()
    assert (opened["purpose"], opened["role"], opened["account"]) == ("owner", "owner", None)
    assert code(use(browser, token)) == (422, "name_missing")
    assert code(use(browser, token, name="ada")) == (422, "password_missing")
    assert code(use(browser, token, name="ada", password="short")) == (422, "password_too_short")
    assert use(browser, token, name="ada", password=PASSWORD).json()["role"] == "owner"
    assert me(browser)["is_owned"] is True
    with client_with(app) as other:
        assert code(use(other, token, name="eve", password=PASSWORD)) == (410, "link_refused")


def test_a_second_first_link_makes_no_second_owner(app: FastAPI, browser: TestClient) -> None:
    earlier = new_server()
    with transaction() as session:
        token = link.make_owner_link(session=session)
    assert code(use(browser, earlier, name="eve", password=PASSWORD)) == (410, "link_refused")
    with transaction() as session:
        add_account(session=session, name="ada", role=Role.OWNER, password_hash=None)
    assert code(use(browser, token, name="eve", password=PASSWORD)) == (410, "link_refused")


def test_of_many_who_use_one_link_at_once_one_gets_an_account(server: ServedApp) -> None:
    url = f"{server.url}/api/v1/links"
    invitation = httpx2.post(url, json={"role": "member"}, headers=HEADERS, timeout=HANG_S).json()
    barrier = threading.Barrier(6)

    def _use(number: int) -> int:
        body = {"token": invitation["token"], "name": f"guest-{number}", "password": PASSWORD}
        barrier.wait()
        return int(httpx2.post(f"{url}/use", json=body, timeout=HANG_S).status_code)

    with ThreadPoolExecutor(6) as threads:
        assert sorted(threads.map(_use, range(6))) == [200, 410, 410, 410, 410, 410]


def test_an_invitation_makes_an_account_of_its_role(browser: TestClient, client: TestClient) -> None:
    made = client.post("/api/v1/links", json={"role": "viewer", "note": "For Grace"}).json()
    assert made["url"] == f"http://127.0.0.1/enter#{made['token']}"
    [listed] = client.get("/api/v1/links").json()["items"]
    assert (listed["note"], "token" in listed) == ("For Grace", False)
    assert code(use(browser, made["token"], name="owner-of-the-tests", password=PASSWORD)) == (
        409,
        "account_name_taken",
    )
    assert use(browser, made["token"], name="grace", password=PASSWORD).json()["role"] == "viewer"
    assert client.get("/api/v1/links").json()["items"] == []


@pytest.mark.parametrize("name", ["", "Ada", "a b", "-a", "a" * 40, "ä", "a/b", "../etc"])
def test_a_senseless_name_is_refused(browser: TestClient, client: TestClient, name: str) -> None:
    made = client.post("/api/v1/links", json={"role": "viewer"}).json()
    answer = use(browser, made["token"], name=name, password=PASSWORD)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "name")


def test_a_link_that_was_revoked_or_has_expired_opens_nothing(browser: TestClient, client: TestClient) -> None:
    revoked = client.post("/api/v1/links", json={"role": "viewer"}).json()
    assert client.delete(f"/api/v1/links/{revoked['id']}").status_code == 204
    assert code(client.delete(f"/api/v1/links/{revoked['id']}")) == (404, "link_unknown")
    expired = client.post("/api/v1/links", json={"role": "viewer"}).json()
    with transaction() as session:
        session.get_one(AccountLink, expired["id"]).expires_at = func.now()
    for made in (revoked, expired, {"token": "patina-link-unknown"}):
        assert code(browser.post("/api/v1/links/opening", json={"token": made["token"]})) == (410, "link_refused")
        assert code(use(browser, made["token"], name="eve", password=PASSWORD)) == (410, "link_refused")


def test_a_lost_password_is_replaced_by_a_link(app: FastAPI, browser: TestClient, client: TestClient, ada: int) -> None:
    made = client.post(f"/api/v1/accounts/{ada}/links", json={}).json()
    assert made["account"]["name"] == "ada"
    with client_with(app) as thief:
        sign_in(thief)
        assert use(browser, made["token"], password="another long password").json()["name"] == "ada"
        assert me(thief)["account"] is None
        assert code(sign_in(thief)) == (401, "sign_in_refused")
    assert me(browser)["account"]["name"] == "ada"
    assert code(client.post("/api/v1/accounts/4711/links", json={})) == (404, "account_unknown")


def test_a_closed_account_cannot_sign_in_until_it_is_opened(browser: TestClient, client: TestClient, ada: int) -> None:
    entry = client.post(f"/api/v1/accounts/{ada}/links", json={}).json()
    sign_in(browser)
    assert client.patch(f"/api/v1/accounts/{ada}", json={"is_closed": True}).json()["closed_at"] is not None
    assert me(browser)["account"] is None
    assert code(sign_in(browser)) == (401, "sign_in_refused")
    assert code(use(browser, entry["token"])) == (410, "link_refused")
    assert code(client.post(f"/api/v1/accounts/{ada}/links", json={})) == (404, "account_unknown")
    client.patch(f"/api/v1/accounts/{ada}", json={"is_closed": False})
    assert sign_in(browser).status_code == 200


@pytest.mark.parametrize("change", [{"role": "operator"}, {"is_closed": True}])
def test_the_last_owner_stays_an_owner(client: TestClient, change: dict[str, object]) -> None:
    own_id = me(client)["account"]["id"]
    assert code(client.patch(f"/api/v1/accounts/{own_id}", json=change)) == (409, "last_owner")
    assert me(client)["role"] == "owner"
    assert code(client.patch("/api/v1/accounts/4711", json=change)) == (404, "account_unknown")


def test_of_two_owners_who_step_down_at_once_one_stays(app: FastAPI, client: TestClient) -> None:
    token_of("second", Role.OWNER)
    with transaction() as session:
        ids = list(session.scalars(select(Account.id)))
    barrier = threading.Barrier(2)

    def _step_down(account_id: int) -> int:
        barrier.wait()
        return int(client.patch(f"/api/v1/accounts/{account_id}", json={"role": "viewer"}).status_code)

    with ThreadPoolExecutor(2) as threads:
        statuses = sorted(threads.map(_step_down, ids))
    with transaction() as session:
        owners = session.scalars(select(Account).where(Account.role == Role.OWNER)).all()
    assert len(owners) == 1
    assert statuses in ([200, 403], [200, 409])
