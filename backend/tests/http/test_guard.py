"""Other sites' pages cannot drive this API; health, readiness, version and metrics."""

import json

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from openapi_spec_validator import validate
from sqlalchemy import create_engine
from sqlalchemy.orm import sessionmaker

from patina.cli.app import openapi
from patina.http.health import get_readiness
from patina.settings import PROJECT_DIR, Settings
from patina_dev.testing.owner import HEADERS


def test_a_foreign_host_name_is_refused(client: TestClient) -> None:
    answer = client.get("/api/v1/profiles", headers={"Host": "rebound.example"})
    assert (answer.status_code, answer.json()["code"]) == (421, "host_not_trusted")


def test_a_foreign_origin_may_read_nothing_into_being(client: TestClient) -> None:
    answer = client.post("/api/v1/devices", json={"size_bytes": 2**30}, headers={"Origin": "https://evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (403, "origin_refused")


def test_our_own_page_may(client: TestClient) -> None:
    body = {"profile": "agrawal", "fullness": 0.7, "capacity_bytes": 2**30}
    assert client.post("/api/v1/forecasts", json=body, headers={"Origin": "http://127.0.0.1"}).status_code == 200


def test_an_unknown_path_of_the_api_is_a_problem_not_a_page(client: TestClient) -> None:
    answer = client.get("/api/v1/nothing")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_wrong_method_says_so(client: TestClient) -> None:
    answer = client.put("/api/v1/profiles")
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")


def test_health_readiness_version_and_metrics_answer(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json()["is_ready"] is True
    assert client.get("/version").json()["version"]
    assert "python_info" in client.get("/metrics").text


def test_readiness_says_which_part_is_away(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = Settings(DATABASE_URL="unused", REDIS_URL="redis://127.0.0.1:1/0")
    monkeypatch.setattr("patina.http.health.settings", lambda: elsewhere)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["database"]) == (503, "ok")
    assert "127.0.0.1:1" in answer.json()["redis"]
    assert get_readiness.__doc__


def test_a_database_that_is_away_is_said_as_such(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    away = create_engine("postgresql+psycopg://127.0.0.1:1/patina")
    monkeypatch.setattr("patina.db.session_factory", lambda: sessionmaker(away))
    monkeypatch.setattr("patina.http.read_only.read_only_factory", lambda: sessionmaker(away))
    for answer in (client.get("/api/v1/runs"), client.post("/api/v1/jobs/1/stop")):
        assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
        assert answer.headers["Retry-After"] == "1"


def test_an_error_that_is_not_foreseen_is_a_problem_too(
    app: FastAPI, clean_database: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def _fail(**_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("patina.run.listing.list_runs", _fail)
    with TestClient(app, base_url="http://127.0.0.1", headers=HEADERS, raise_server_exceptions=False) as client:
        answer = client.get("/api/v1/runs")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "ZeroDivisionError" in answer.json()["detail"]


@pytest.mark.slow
def test_the_openapi_document_is_valid_and_the_committed_one(
    client: TestClient, capsys: pytest.CaptureFixture[str]
) -> None:
    document = client.get("/api/openapi.json").json()
    validate(document)
    capsys.readouterr()
    openapi()
    printed = capsys.readouterr().out
    assert json.loads(printed) == document
    assert (PROJECT_DIR / "frontend" / "openapi.json").read_text() == printed, "run `make generate`"


def test_every_route_has_an_operation_id(client: TestClient) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    ids = [operation["operationId"] for path in paths.values() for operation in path.values()]
    assert len(ids) == len(set(ids))
    assert all(name.islower() and "__" not in name for name in ids)


def test_a_secret_may_come_from_a_file(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path_factory.mktemp("secrets") / "url"
    secret.write_text("postgresql+psycopg://from-a-file\n")
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.setenv("DATABASE_URL_FILE", str(secret))
    assert Settings().database_url == "postgresql+psycopg://from-a-file"
