"""Forecasts: the core's, through the API, and the core's refusals under its own codes."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

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
    monkeypatch.setattr("patina.forecast.core.settings", lambda: absent)
    answer = client.post("/api/v1/forecasts", json=BODY)
    assert (answer.status_code, answer.json()["code"]) == (503, "core_unavailable")
    assert "make native" in answer.json()["detail"]
