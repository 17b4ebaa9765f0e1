"""Answers of a provider: which are refused, and with which words."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient

from openid_requests import begin, bind, code, finish, me, sign_in
from signing_provider import CLIENT_ID, CLIENT_SECRET, SUBJECT, SigningProvider

Set = Callable[..., None]


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "of another sign-in"},
        {"nonce": None},
        {"aud": "another client"},
        {"aud": [CLIENT_ID, "another"], "azp": "another"},
        {"aud": None},
        {"iss": "https://another.example"},
        {"exp": 1},
        {"exp": None},
        {"iat": 4_000_000_000},
        {"sub": None},
        {"sub": 7},
        {"at_hash": "of another token"},
    ],
)
def test_an_id_token_that_says_something_else_is_refused(
    browser: TestClient, provider: SigningProvider, ada: int, claims: dict[str, object]
) -> None:
    bind(provider, ada)
    provider.claims = claims
    assert code(sign_in(browser, provider)) == (502, "provider_invalid")
    assert me(browser)["account"] is None


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_an_id_token_that_others_could_have_made_is_refused(
    browser: TestClient, provider: SigningProvider, ada: int, algorithm: str
) -> None:
    bind(provider, ada)
    provider.header = {"alg": algorithm}
    assert code(sign_in(browser, provider)) == (502, "provider_invalid")


def test_keys_are_fetched_once_and_again_when_they_changed(
    browser: TestClient, provider: SigningProvider, ada: int
) -> None:
    bind(provider, ada)
    provider.asked.clear()
    for _ in range(2):
        assert sign_in(browser, provider).status_code == 200
    assert provider.asked.count("/keys") == provider.asked.count("/.well-known/openid-configuration") == 1
    provider.rotate()
    assert sign_in(browser, provider).status_code == 200
    assert provider.asked.count("/keys") == 2


def test_a_key_that_the_provider_does_not_publish_signs_nothing(
    browser: TestClient, provider: SigningProvider, ada: int
) -> None:
    bind(provider, ada)
    published = provider.published
    provider.rotate()
    provider.published = published
    assert code(sign_in(browser, provider)) == (502, "provider_invalid")


def test_what_the_provider_refuses_is_shown_with_its_words(
    browser: TestClient, provider: SigningProvider, configure: Set
) -> None:
    state = provider.admit(begin(browser).json()["url"])["state"]
    answer = finish(browser, state=state, error="access_denied", error_description="End-User aborted")
    assert code(answer) == (403, "provider_refused")
    assert "access_denied: End-User aborted" in answer.json()["detail"]
    configure(client_secret="a wrong one")
    answer = sign_in(browser, provider)
    assert code(answer) == (403, "provider_refused")
    assert "The secret is wrong" in answer.json()["detail"]
    state = provider.admit(begin(browser).json()["url"])["state"]
    assert code(finish(browser, state=state)) == (403, "provider_refused")


def test_an_answer_in_the_name_of_another_issuer_is_refused(browser: TestClient, provider: SigningProvider) -> None:
    brought = provider.admit(begin(browser).json()["url"]) | {"iss": "https://another.example"}
    assert code(finish(browser, **brought)) == (502, "provider_invalid")


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/keys"])
def test_a_provider_that_fails_is_named_before_the_browser_leaves(
    browser: TestClient, provider: SigningProvider, path: str
) -> None:
    provider.statuses[path] = 500
    answer = begin(browser)
    assert code(answer) == (503, "provider_unreachable")
    assert provider.issuer in answer.json()["detail"]
    provider.statuses.clear()
    assert begin(browser).status_code == 201, "a failure is not kept"


@pytest.mark.parametrize("path", ["/token", "/me"])
def test_a_provider_that_fails_later_is_named_too(browser: TestClient, provider: SigningProvider, path: str) -> None:
    provider.statuses[path] = 503
    assert code(sign_in(browser, provider)) == (503, "provider_unreachable")


def test_a_provider_that_is_not_there_is_named(browser: TestClient, provider: SigningProvider, configure: Set) -> None:
    configure(issuer="http://127.0.0.1:1")
    answer = begin(browser)
    assert code(answer) == (503, "provider_unreachable")
    assert "http://127.0.0.1:1" in answer.json()["detail"]


@pytest.mark.parametrize(
    "metadata",
    [{"issuer": "https://another.example"}, {"token_endpoint": None}, {"jwks_uri": 7}, {"jwks_uri": "http://x:y"}],
)
def test_metadata_that_is_not_that_of_the_provider_is_refused(
    browser: TestClient, provider: SigningProvider, metadata: dict[str, object]
) -> None:
    provider.metadata = metadata
    assert code(begin(browser)) == (502, "provider_invalid")


@pytest.mark.parametrize(
    ("token", "user_info"), [({"id_token": None}, {}), ({"id_token": "a.b.c"}, {}), ({}, {"sub": "another"})]
)
def test_an_incomplete_answer_is_refused(
    browser: TestClient, provider: SigningProvider, token: dict[str, object], user_info: dict[str, object]
) -> None:
    provider.token, provider.user_info = token, user_info
    assert code(sign_in(browser, provider)) == (502, "provider_invalid")


def test_the_secret_is_sent_as_the_provider_wants_it(browser: TestClient, provider: SigningProvider, ada: int) -> None:
    bind(provider, ada)
    provider.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    assert sign_in(browser, provider).status_code == 200


def test_a_provider_without_user_info_is_enough(browser: TestClient, provider: SigningProvider, ada: int) -> None:
    bind(provider, ada)
    provider.metadata = {"userinfo_endpoint": None}
    assert sign_in(browser, provider).status_code == 200
    assert me(browser)["identity"]["title"] == SUBJECT


@pytest.mark.parametrize(
    ("user_info", "is_accepted"),
    [
        ({"email": "ada@Example.org", "email_verified": True}, True),
        ({"email": "ada@example.org", "email_verified": False}, False),
        ({"email": "ada@example.org"}, False),
        ({"email": "ada@example.org.evil.example", "email_verified": True}, False),
        ({"email_verified": True}, False),
    ],
)
def test_a_domain_of_addresses_may_be_needed(
    browser: TestClient,
    provider: SigningProvider,
    configure: Set,
    ada: int,
    user_info: dict[str, object],
    is_accepted: bool,
) -> None:
    bind(provider, ada)
    configure(domains="lab.example, example.org")
    provider.user_info = user_info
    answer = sign_in(browser, provider)
    assert answer.status_code == 200 if is_accepted else code(answer) == (403, "identity_not_allowed")


@pytest.mark.parametrize(
    ("groups", "is_accepted"), [(["a", "storage"], True), ("storage", True), (["storage-x"], False), (None, False)]
)
def test_a_claim_may_be_needed(
    browser: TestClient, provider: SigningProvider, configure: Set, ada: int, groups: object, is_accepted: bool
) -> None:
    bind(provider, ada)
    configure(claim="groups=storage")
    provider.claims = {"groups": groups}
    answer = sign_in(browser, provider)
    assert answer.status_code == 200 if is_accepted else code(answer) == (403, "identity_not_allowed")


def test_no_row_and_no_answer_has_the_secret_of_the_client(
    client: TestClient, browser: TestClient, provider: SigningProvider
) -> None:
    answers = [begin(browser), sign_in(browser, provider), client.get("/api/v1/audit"), client.get("/api/v1/me")]
    assert all(CLIENT_SECRET not in answer.text for answer in answers)
    assert urlsplit(answers[0].json()["url"]).fragment == ""
