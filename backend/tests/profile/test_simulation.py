"""Previews of whole runs: by the model alone, and marked if cut off."""

import threading

import pytest
from fastapi.testclient import TestClient

from patina.run import simulation
from patina_dev.testing.wait import HANG_S

BODY = {"profile": "meyer", "fullness": 0.7, "capacity_bytes": 2**26}


def test_a_preview_shows_the_run_to_its_end(client: TestClient) -> None:
    preview = client.post("/api/v1/simulations", json=BODY).json()
    assert preview["is_complete"]
    assert preview["summary"]["stop_reason"] == "converged"
    assert len(preview["samples"]) == pytest.approx(simulation.SAMPLES_COUNT, abs=2)
    ticks = [sample["ops_count"] for sample in preview["samples"]]
    assert ticks == sorted(ticks)
    assert ticks[-1] == preview["plan"]["horizon_ops_count"]
    rmses = [sample["histograms"]["age"]["rmse"] for sample in preview["samples"]]
    assert rmses[-1] < rmses[len(rmses) // 2]


def test_a_long_preview_is_cut_off_and_says_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "PATIENCE_S", 0.1)
    monkeypatch.setattr(simulation, "KILL_AFTER_S", HANG_S)
    body = BODY | {"profile": "douceur", "capacity_bytes": 2**44}
    preview = client.post("/api/v1/simulations", json=body).json()
    assert not preview["is_complete"]
    assert preview["summary"]["ops_count"] < preview["plan"]["horizon_ops_count"]


def test_one_preview_is_made_at_a_time(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "_one", threading.BoundedSemaphore(1))
    with simulation._one:
        answer = client.post("/api/v1/simulations", json=BODY)
    assert (answer.status_code, answer.json()["code"]) == (429, "simulation_under_way")
    assert client.post("/api/v1/simulations", json=BODY).status_code == 200


def test_what_does_not_fit_is_refused_like_a_forecast(client: TestClient) -> None:
    answer = client.post("/api/v1/simulations", json=BODY | {"capacity_bytes": 8192})
    assert (answer.status_code, answer.json()["code"]) == (422, "profile_does_not_fit")


def test_a_simulation_that_takes_more_than_its_memory_ends_with_a_sentence(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "MEMORY_BYTES", 64 * 2**20)
    answer = client.post("/api/v1/simulations", json=BODY | {"capacity_bytes": 2**44})
    assert (answer.status_code, answer.json()["code"]) == (422, "simulation_too_large")
    assert client.post("/api/v1/simulations", json=BODY).status_code == 200
