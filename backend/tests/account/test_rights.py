"""Every route states its right, and answers for accounts that have it alone."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from patina.account.role import Role
from patina.http.rights import RIGHTS
from patina.http.routing import Route
from patina.settings import PROJECT_DIR
from people import client_with, token_of

# What each role may do, written once more, by hand: a change of the rights is a change of this table.
ANYONE = {
    "get_health", "get_readiness", "get_version", "get_manifest_key", "get_me", "sign_in", "sign_out", "open_link",
    "use_link", "begin_openid", "finish_openid", "open_shared_link", "join_host",
}  # fmt: skip
READS_OF_MEMBERS = {"list_shared_links"}
READS_OF_OPERATORS = {"list_join_tokens", "list_webhooks", "get_webhook", "list_deliveries"}
READS_OF_OWNERS = {"list_accounts", "list_links", "list_audit", "export_audit"}
CHANGES_OF_VIEWERS = {
    "save_search", "remove_search",
    "make_token", "revoke_credential", "sign_out_everywhere", "change_password", "disconnect_openid",
    "make_forecast", "simulate_run", "read_profile", "make_fit", "describe_workload",
}  # fmt: skip
CHANGES_OF_OPERATORS = {
    "set_device_users",
    "make_join_token", "revoke_join_token", "remove_host", "start_collection", "add_webhook", "change_webhook",
    "remove_webhook", "ping_webhook", "redeliver",
    "set_retention", "remove_retention", "preview_retention", "apply_retention",
}  # fmt: skip
CHANGES_OF_OWNERS = {
    "change_account",
    "make_entry_link",
    "invite",
    "revoke_link",
    "make_team",
    "remove_team",
    "add_member",
    "remove_member",
}

DOCUMENT = json.loads((PROJECT_DIR / "frontend" / "openapi.json").read_text(encoding="utf-8"))
OPERATIONS = [
    (operation["operationId"], method.upper(), path)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]


def expected(action: str, method: str) -> Role | None:
    if action in ANYONE:
        return None
    if method == "GET":
        if action in READS_OF_OWNERS:
            return Role.OWNER
        if action in READS_OF_MEMBERS:
            return Role.MEMBER
        return Role.OPERATOR if action in READS_OF_OPERATORS else Role.VIEWER
    if action in CHANGES_OF_VIEWERS:
        return Role.VIEWER
    if action in CHANGES_OF_OPERATORS:
        return Role.OPERATOR
    return Role.OWNER if action in CHANGES_OF_OWNERS else Role.MEMBER


def routes_of(router: Any) -> Iterator[Any]:
    for route in router.routes:
        inner = getattr(route, "original_router", None)
        yield from routes_of(inner) if inner is not None else [route]


def test_every_operation_of_the_document_has_the_right_of_the_table() -> None:
    assert {name: RIGHTS[name] for name, *_ in OPERATIONS} == {
        name: expected(name, method) for name, method, _ in OPERATIONS
    }


def test_no_route_outside_the_document_lacks_a_right(app: FastAPI) -> None:
    """But for the pages of the frontend and the document itself, which hold no data."""
    without = {route.path for route in routes_of(app) if not isinstance(route, Route)}
    assert without <= {"/api/openapi.json", "/assets", "/api/docs", "/{path:path}"}
    known = {name for name, *_ in OPERATIONS} | {"get_no_chunk"}
    assert set(RIGHTS) == known, "the table names no route that is not there"


@pytest.fixture
def clients(app: FastAPI, client: TestClient) -> Iterator[dict[Role | None, TestClient]]:
    """Yields a client of each role, and a stranger's."""
    with client_with(app) as stranger:
        made: dict[Role | None, TestClient] = {None: stranger}
        for role in Role:
            made[role] = TestClient(app, base_url="http://127.0.0.1")
            made[role].headers["Authorization"] = f"Bearer {token_of(f'a-{role}', role)}"
        yield made


def asked(client: TestClient, method: str, path: str) -> str:
    """Returns the code of the answer to a request without a body for rows that do not exist; empty for a success."""
    for name in ("_id", "number"):
        path = path.replace(f"{name}}}", f"{name}}}")
    filled = "/".join(_filled(part) for part in path.split("/"))
    with client.stream(method, filled) as answer:
        if answer.is_success:
            return ""
        answer.read()
        return str(answer.json()["code"])


def _filled(part: str) -> str:
    if not part.startswith("{"):
        return part
    name = part.strip("{}")
    return "987654" if name.endswith("_id") or name == "number" else "nothing"


REFUSED = {"sign_in_required", "right_missing"}


def test_every_route_answers_for_its_roles_alone(clients: dict[Role | None, TestClient]) -> None:
    wrong = []
    for action, method, path in OPERATIONS:
        if action in ("stream_jobs", "sign_out", "sign_out_everywhere"):
            continue  # a stream does not end; the others end the sessions of this test
        right = expected(action, method)
        for role, client in clients.items():
            code = asked(client, method, path)
            may = right is None or (role is not None and role.includes(right))
            refusal = "sign_in_required" if role is None else "right_missing"
            if (code in REFUSED) == may or (not may and code != refusal):
                wrong.append((action, role, code))
    assert wrong == []


@pytest.mark.parametrize("action", ["stream_jobs", "sign_out_everywhere"])
def test_the_other_routes_refuse_strangers_too(app: FastAPI, client: TestClient, action: str) -> None:
    [(_, method, path)] = [row for row in OPERATIONS if row[0] == action]
    with client_with(app) as stranger:
        assert asked(stranger, method, path) == "sign_in_required"


def test_a_stranger_is_refused_before_the_body_is_read(app: FastAPI, client: TestClient) -> None:
    with client_with(app) as stranger:
        answer = stranger.post("/api/v1/runs", content=b"{", headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (401, "sign_in_required")
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_refusal_names_the_operation_and_both_roles(app: FastAPI, client: TestClient) -> None:
    with client_with(app, token_of("vi", Role.VIEWER)) as viewer:
        answer = viewer.post("/api/v1/runs", json={})
    assert (answer.status_code, answer.json()["code"]) == (403, "right_missing")
    assert answer.json()["detail"] == "Start run: needs the role member. vi has the role viewer."
