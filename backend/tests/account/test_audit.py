"""The audit trail: every change is in it, and no role of the database can change it."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text
from sqlalchemy.exc import ProgrammingError

from patina.account import limit
from patina.account.role import Role
from patina.db import transaction
from patina_dev.testing.owner import NAME
from patina_stack.services import PrivateServices
from people import PASSWORD, client_with, token_of
from run_requests import run_body

DeviceFactory = Callable[..., int]


def entries(client: TestClient, **query: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get("/api/v1/audit", params=query).json()["items"]
    return items


def test_a_change_is_recorded_with_who_made_it_what_it_made_and_from_where(
    client: TestClient, make_device: DeviceFactory
) -> None:
    run_id = client.post("/api/v1/runs", json=run_body(make_device())).json()["id"]
    client.post(f"/api/v1/jobs/{run_id}/stop")
    stopped, started = entries(client)
    assert (started["account_name"], started["action"], started["address"]) == (NAME, "start_run", "127.0.0.1")
    assert f"run {run_id}" in started["detail"]["made"]
    assert (stopped["action"], stopped["path"]) == ("stop_job", f"/api/v1/jobs/{run_id}/stop")


def test_a_change_that_failed_and_a_read_leave_no_entry(client: TestClient) -> None:
    client.get("/api/v1/runs")
    assert client.post("/api/v1/jobs/4711/stop").status_code == 404
    assert entries(client) == []


def test_who_was_refused_is_recorded(app: FastAPI, client: TestClient) -> None:
    limit.forget()
    with client_with(app, token_of("vi", Role.VIEWER)) as viewer:
        viewer.post("/api/v1/runs", json={})
    with client_with(app) as stranger:
        stranger.post("/api/v1/sessions", json={"name": "vi", "password": "wrong"})
    tried, refused = entries(client)
    assert (refused["account_name"], refused["outcome"], refused["detail"]) == (
        "vi",
        "refused",
        {"code": "right_missing"},
    )
    assert (tried["account_name"], tried["account_id"], tried["action"]) == ("vi", None, "sign_in")
    assert tried["detail"] == {"code": "sign_in_refused"}


def test_a_role_that_changed_is_named_with_the_earlier_one(client: TestClient) -> None:
    token_of("vi", Role.VIEWER)
    [account] = [item for item in client.get("/api/v1/accounts").json()["items"] if item["name"] == "vi"]
    client.patch(f"/api/v1/accounts/{account['id']}", json={"role": "member"})
    [entry] = entries(client, action="change_account")
    assert entry["detail"]["changed"] == {"account vi": {"role": ["viewer", "member"]}}


def test_an_account_made_by_a_link_is_named(app: FastAPI, client: TestClient) -> None:
    invitation = client.post("/api/v1/links", json={"role": "member"}).json()
    with client_with(app) as browser:
        browser.post("/api/v1/links/use", json={"token": invitation["token"], "name": "ada", "password": PASSWORD})
    [entry] = entries(client, action="use_link")
    assert (entry["account_name"], entry["account_id"]) == ("ada", None)
    assert "account ada" in entry["detail"]["made"]
    assert "patina-link" not in json.dumps(entries(client))


def test_filters_pages_and_exports_agree(client: TestClient) -> None:
    for number in range(7):
        client.post("/api/v1/links", json={"role": "viewer", "note": f"=HYPERLINK({number})"})
    made = client.get("/api/v1/links").json()["items"]
    client.delete(f"/api/v1/links/{made[0]['id']}")
    first = client.get("/api/v1/audit", params={"action": "invite", "limit": 4}).json()
    rest = client.get("/api/v1/audit", params={"action": "invite", "cursor": first["next_cursor"]}).json()
    listed = first["items"] + rest["items"]
    assert len(listed) == 7
    lines = client.get("/api/v1/audit/export", params={"action": "invite"}).text.splitlines()
    assert [json.loads(line) for line in lines] == listed[::-1]
    answer = client.get("/api/v1/audit/export", params={"action": "invite", "format": "csv"})
    assert 'filename="patina-audit.csv"' in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [json.loads(row["detail"]) for row in rows] == [entry["detail"] for entry in listed[::-1]]
    assert entries(client, account="eve") == entries(client, until="2020-01-01T00:00:00Z") == []
    assert len(entries(client, since="2020-01-01T00:00:00Z", outcome="done", account=NAME)) == 8


def test_a_cell_is_no_formula(client: TestClient) -> None:
    with transaction() as session:
        session.execute(
            text(
                "INSERT INTO audit_entry (account_name, address, action, path, outcome, detail)"
                " VALUES ('=1+1', '', 'sign_in', '', 'refused', '{}')"
            )
        )
    table = client.get("/api/v1/audit/export", params={"format": "csv"}).text
    assert "'=1+1" in table


@pytest.mark.parametrize(
    "change", ["UPDATE audit_entry SET path = ''", "DELETE FROM audit_entry", "TRUNCATE audit_entry"]
)
@pytest.mark.parametrize("role", ["database_url", "api_database_url"])
def test_no_role_changes_an_entry(client: TestClient, services: PrivateServices, change: str, role: str) -> None:
    """The owner of the table by a trigger, the API by its rights as well."""
    client.post("/api/v1/links", json={"role": "viewer"})
    engine = create_engine(getattr(services.ports, role))
    with pytest.raises(ProgrammingError), engine.begin() as connection:
        connection.execute(text(change))
    engine.dispose()
    assert len(entries(client)) == 1


def test_a_host_does_not_see_the_trail_nor_any_credential(client: TestClient, services: PrivateServices) -> None:
    engine = create_engine(services.ports.host_database_url)
    for table in ("audit_entry", "account", "credential", "account_link"):
        with pytest.raises(ProgrammingError), engine.connect() as connection:
            connection.execute(text(f"SELECT * FROM {table}"))
    engine.dispose()
