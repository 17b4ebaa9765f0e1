"""Forecasts of the core through the API, and the core's refusals under its own codes."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from patina.core import client as core
from patina.settings import settings

BODY = {"profile": "agrawal", "fullness": 0.7, "capacity_bytes": 2**30}


def test_a_forecast_names_its_horizon_critical_bin_and_curve(client: TestClient) -> None:
    plan = client.post("/api/v1/forecasts", json=BODY).json()
    assert plan["type"] == "plan"
    assert plan["minimal_horizon_ops_count"] < plan["horizon_ops_count"]
    assert 0 <= plan["critical_age_bin"] < len(plan["histograms"]["age"])
    assert len(plan["curve"]) >= 32
    assert sum(b["target_fraction"] for b in plan["histograms"]["size"]) == pytest.approx(1)


def test_fewer_overwrites_cost_accuracy(client: TestClient) -> None:
    free = client.post("/api/v1/forecasts", json=BODY).json()
    cheap = client.post("/api/v1/forecasts", json=BODY | {"max_overwrites": free["overwrites"] / 4}).json()
    assert cheap["horizon_ops_count"] < free["horizon_ops_count"]
    assert cheap["age_rmse"] > free["age_rmse"]
    assert cheap["budget"] == "max_overwrites"


@pytest.mark.parametrize("fullness", [0, 1.2, -1, "full", None])
def test_a_fullness_that_is_none_is_refused(client: TestClient, fullness: object) -> None:
    answer = client.post("/api/v1/forecasts", json=BODY | {"fullness": fullness})
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
    assert answer.json()["errors"][0]["field"] == "fullness"
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_capacity_too_small_for_the_profile_is_refused_by_the_core(client: TestClient) -> None:
    answer = client.post("/api/v1/forecasts", json=BODY | {"capacity_bytes": 8192})
    assert (answer.status_code, answer.json()["code"]) == (422, "profile_does_not_fit")


def test_without_a_core_the_answer_says_how_to_get_one(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    absent = settings().model_copy(update={"core": Path("/nonexistent/patina-core")})
    monkeypatch.setattr("patina.core.client.settings", lambda: absent)
    answer = client.post("/api/v1/forecasts", json=BODY)
    assert (answer.status_code, answer.json()["code"]) == (503, "core_unavailable")
    assert "make native" in answer.json()["detail"]


def test_histograms_that_are_no_profile_yet_are_forecast_as_well(client: TestClient) -> None:
    version = client.get("/api/v1/profiles/agrawal").json()["latest_version"]
    histograms = {k: version[k] for k in ("size", "depth", "age")}
    body = {"histograms": histograms, "fullness": 0.7, "capacity_bytes": 2**30}
    assert client.post("/api/v1/forecasts", json=body).json() == client.post("/api/v1/forecasts", json=BODY).json()
    histograms["age"][0]["weight"] *= 1.5
    edited = client.post("/api/v1/forecasts", json=body).json()
    assert edited["histograms"]["age"][0]["target_fraction"] > 0
    assert edited["profile_digest"] != client.post("/api/v1/forecasts", json=BODY).json()["profile_digest"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"profile": None}, "one of the two"),
        ({"max_rmse": 0.01, "max_overwrites": 3}, "one budget at most"),
        ({"max_ops": 0}, "must be 1 or more"),
    ],
)
def test_a_request_that_contradicts_itself_is_refused(client: TestClient, changes: dict[str, object], why: str) -> None:
    answer = client.post("/api/v1/forecasts", json=BODY | changes)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
    assert why in answer.text


def test_histograms_that_the_core_refuses_are_refused_with_its_reason(client: TestClient) -> None:
    bins = [{"bytes": 2**i, "weight": 1} for i in range(12)]
    histograms = {
        "size": bins,
        "depth": [{"depth": d, "weight": 1, "subdirs": 100_000} for d in range(1, 4)],
        "age": [{"age": 1, "weight": 1}],
    }
    body = {"histograms": histograms, "fullness": 0.7, "capacity_bytes": 2**30}
    answer = client.post("/api/v1/forecasts", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "profile_invalid")
    assert "directories" in answer.json()["detail"]


def test_a_core_that_died_while_idle_is_started_again(client: TestClient) -> None:
    before = client.post("/api/v1/forecasts", json=BODY).json()
    for process in core._idle:
        process._process.kill()
        process._process.wait()
    assert client.post("/api/v1/forecasts", json=BODY).json() == before


def test_a_core_that_says_nothing_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: TestClient
) -> None:
    silent = tmp_path / "patina-core"
    silent.write_text("#!/bin/sh\necho '{}'\nexec sleep 60\n")
    silent.chmod(0o755)
    monkeypatch.setattr("patina.core.client.TIMEOUT_S", 0.3)
    monkeypatch.setattr("patina.core.client.settings", lambda: settings().model_copy(update={"core": silent}))
    answer = client.post("/api/v1/forecasts", json=BODY)
    assert (answer.status_code, answer.json()["code"]) == (503, "core_unavailable")
    assert "did not answer within" in answer.json()["detail"]


def test_many_at_once_get_their_own_answers_and_few_processes_stay(client: TestClient) -> None:
    fullnesses = [round(0.1 + 0.02 * i, 2) for i in range(32)]

    def _ask(fullness: float) -> float:
        answer: dict[str, float] = client.post("/api/v1/forecasts", json=BODY | {"fullness": fullness}).json()
        return answer["fullness"]

    with ThreadPoolExecutor(16) as executor:
        assert list(executor.map(_ask, fullnesses)) == fullnesses
    assert len(core._idle) <= core.MAX_IDLE_COUNT
