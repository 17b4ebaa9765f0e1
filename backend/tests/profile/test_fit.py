"""Fits recover the parameters that made the bars, and refuse bars that cannot be fitted, with the reason."""

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from patina.fit import fitter as fitter_module
from patina.fit.fitter import FitImpossible, Fitter, FitterUnavailable
from patina.settings import settings
from patina_dev.testing.owner import HEADERS
from patina_dev.testing.wait import HANG_S

POWERS = [float(2**n) for n in range(6, 42)]
LOGNORMAL = {"mu": 9.4, "sigma": 2.5}
TAILED = LOGNORMAL | {"alpha": 0.9, "tail_from": float(2**29), "tail_fraction": 0.01}


@pytest.fixture(scope="module")
def client(app: FastAPI, database_of_module: None) -> Iterator[TestClient]:
    """Yields a client. Nothing is stored: one application and one fitter serve all tests."""
    with TestClient(app, base_url="http://127.0.0.1", headers=HEADERS) as test_client:
        yield test_client


def asked(client: TestClient, **body: Any) -> Any:
    return client.post("/api/v1/fits", json=body)


def fitted(client: TestClient, **body: Any) -> Any:
    answer = asked(client, **body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_weights_of_a_lognormal_are_those_of_its_distribution(client: TestClient) -> None:
    made = fitted(client, histogram="size", kind="lognormal", edges=POWERS, parameters=LOGNORMAL)
    below = [NormalDist(9.4, 2.5).cdf(math.log(edge)) for edge in POWERS[:-1]]
    expected = [b - a for a, b in zip([0.0, *below], [*below, 1.0], strict=True)]
    assert made["weights"] == pytest.approx(expected, abs=1e-12)
    assert sum(made["weights"]) == pytest.approx(1)
    assert (made["parameters"], made["distance"]) == (LOGNORMAL, None)


@pytest.mark.parametrize(
    ("histogram", "kind", "edges", "parameters"),
    [
        ("size", "lognormal", POWERS, LOGNORMAL),
        ("age", "lognormal", [10.0**n for n in range(1, 9)], {"mu": 8.0, "sigma": 1.5}),
        ("size", "lognormal_pareto", POWERS, TAILED),
        ("depth", "poisson", [float(n) for n in range(20)], {"mean": 6.49}),
        ("depth", "poisson", [0.0, 1.0, 3.0, 5.0, 8.0, 12.0], {"mean": 4.2}),
    ],
)
def test_the_parameters_that_made_the_bars_are_found_again(
    client: TestClient, histogram: str, kind: str, edges: list[float], parameters: dict[str, float]
) -> None:
    bars = fitted(client, histogram=histogram, kind=kind, edges=edges, parameters=parameters)["weights"]
    thousands = [1000 * weight for weight in bars]
    found = fitted(client, histogram=histogram, kind=kind, edges=edges, weights=thousands)
    assert found["parameters"] == pytest.approx(parameters, rel=0.02)
    assert found["weights"] == pytest.approx(thousands, rel=0.05, abs=0.5)
    assert sum(found["weights"]) == pytest.approx(1000)
    assert found["distance"] < 1e-3


@pytest.mark.parametrize("name", ["agrawal", "douceur", "meyer"])  # Wang's have a single depth
def test_the_built_in_profiles_are_fitted(client: TestClient, name: str) -> None:
    profile = json.loads((settings().profiles_dir / f"{name}.json").read_text())
    for histogram, kind, edge in (
        ("size", "lognormal", "bytes"),
        ("size", "lognormal_pareto", "bytes"),
        ("depth", "poisson", "depth"),
        ("age", "lognormal", "age"),
    ):
        weights = [b["weight"] for b in profile[histogram]]
        edges = [b[edge] for b in profile[histogram]]
        fit = fitted(client, histogram=histogram, kind=kind, edges=edges, weights=weights)
        assert sum(fit["weights"]) == pytest.approx(sum(weights))
        assert 0 <= fit["distance"] < 0.5


def test_a_tail_describes_bars_with_a_tail_better(client: TestClient) -> None:
    bars = fitted(client, histogram="size", kind="lognormal_pareto", edges=POWERS, parameters=TAILED)["weights"]
    plain = fitted(client, histogram="size", kind="lognormal", edges=POWERS, weights=bars)
    tailed = fitted(client, histogram="size", kind="lognormal_pareto", edges=POWERS, weights=bars)
    assert tailed["distance"] < plain["distance"]


def test_the_largest_histogram_is_fitted_in_a_bounded_number_of_steps(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = [2 ** (6 + i / 7) for i in range(256)]
    weights = [float(1 + (i * 7919) % 101) for i in range(256)]
    fitted(client, histogram="size", kind="lognormal_pareto", edges=edges, weights=weights)

    from scipy import optimize  # other tests of this file leave SciPy to the fitter

    from patina.fit import distribution

    steps_counts: list[int] = []
    minimize = optimize.minimize

    def _counted(*arguments: Any, **options: Any) -> Any:
        found = minimize(*arguments, **options)
        steps_counts.append(int(found.nfev))
        return found

    monkeypatch.setattr(optimize, "minimize", _counted)
    distribution.fit("lognormal_pareto", np.array(edges), np.array(weights))
    assert 0 < len(steps_counts) <= distribution.MAX_TAIL_CANDIDATES_COUNT
    assert max(steps_counts) <= distribution.MAX_STEPS_COUNT


def test_the_median_stays_near_bars_that_do_not_show_it(client: TestClient) -> None:
    edges = [1024.0 * i for i in range(1, 9)]
    weights = [10, 11, 12, 13, 14, 15, 16, 10]
    fit = fitted(client, histogram="size", kind="lognormal_pareto", edges=edges, weights=weights)
    assert 1 <= math.exp(fit["parameters"]["mu"]) <= 1024 * edges[-1]


def test_empty_files_keep_their_weight(client: TestClient) -> None:
    fit = fitted(client, histogram="size", kind="lognormal", edges=[0, 512, 4096, 65536], weights=[5, 1, 3, 1])
    assert fit["weights"][0] == 5
    assert sum(fit["weights"]) == pytest.approx(10)


def test_weights_beside_parameters_are_compared_and_scaled_to(client: TestClient) -> None:
    fit = fitted(
        client, histogram="depth", kind="poisson", edges=[0, 1, 2], weights=[10, 20, 10], parameters={"mean": 1}
    )
    assert fit["parameters"] == {"mean": 1}
    assert sum(fit["weights"]) == pytest.approx(40)
    assert fit["distance"] == pytest.approx(math.exp(-1) - 0.25)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"histogram": "depth", "kind": "lognormal", "weights": [1, 1, 1]}, "fitted by poisson, not lognormal"),
        ({"histogram": "age", "kind": "poisson", "weights": [1, 1, 1]}, "fitted by lognormal, not poisson"),
        ({"edges": [1, 3, 2], "weights": [1, 1, 1]}, "Bin 3: edge 2 must be greater than 3"),
        ({"weights": [1, 1]}, "3 edges and 2 weights"),
        ({}, "Give weights to fit, or parameters"),
        ({"weights": [0, 0, 0]}, "every weight is 0"),
        ({"weights": [0, 1, 1]}, "at least three bins"),
        ({"kind": "lognormal_pareto", "weights": [1, 1, 1]}, "at least five bins"),
        ({"histogram": "depth", "kind": "poisson", "weights": [1, 0, 0]}, "at least two bins"),
        ({"parameters": {"mean": 1}}, "The parameters of lognormal are mu, sigma"),
        ({"edges": [0], "parameters": LOGNORMAL}, "no bin above 0 bytes"),
        (
            {"kind": "lognormal_pareto", "parameters": TAILED | {"mu": 90, "sigma": 0.01, "tail_from": 1}},
            "begin it at more bytes",
        ),
    ],
)
def test_what_cannot_be_fitted_is_refused_with_the_reason(client: TestClient, body: dict[str, Any], said: str) -> None:
    answer = asked(client, **({"histogram": "size", "kind": "lognormal", "edges": [1, 2, 3]} | body))
    assert code(answer) == (422, "fit_impossible")
    assert said in answer.json()["detail"]


@pytest.mark.parametrize(
    "body", [{"edges": []}, {"edges": [float(i) for i in range(257)]}, {"parameters": {"mu": 1}}, {"weights": [-1]}]
)
def test_a_question_that_makes_no_sense_is_refused(client: TestClient, body: dict[str, Any]) -> None:
    answer = asked(client, **({"histogram": "size", "kind": "lognormal", "edges": [1, 2, 3]} | body))
    assert code(answer) == (422, "request_invalid")


QUESTION = {"kind": "poisson", "edges": [0.0, 1.0], "weights": [1.0, 1.0], "parameters": None}


def _pid(fitter: Fitter) -> int:
    assert fitter._process is not None
    return fitter._process.pid


@pytest.mark.slow
def test_a_process_that_has_ended_is_started_again() -> None:
    fitter = Fitter()
    try:
        first = fitter.ask(QUESTION)
        pid = _pid(fitter)
        os.kill(pid, signal.SIGKILL)
        assert fitter.ask(QUESTION) == first
        assert _pid(fitter) != pid
    finally:
        fitter.close()


def test_a_fit_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitter_module, "ANSWER_PATIENCE_S", 0.2)
    endless = "import signal; print('{}', flush=True); signal.pause()"
    fitter = Fitter([sys.executable, "-c", endless])
    with pytest.raises(FitImpossible, match=r"took longer than 0.2 s"):
        fitter.ask(QUESTION)
    assert fitter._process is None


@pytest.mark.parametrize("argv", [["/nonexistent"], ["false"], [sys.executable, "-c", "print('{}', flush=True)"]])
def test_without_a_process_fits_are_not_available(argv: list[str]) -> None:
    with pytest.raises(FitterUnavailable) as refused:
        Fitter(argv).ask(QUESTION)
    assert (refused.value.status, refused.value.code) == (503, "fitter_unavailable")


@pytest.mark.slow
def test_scipy_stays_out_of_the_api() -> None:
    check = "import sys, patina.main; print({'scipy', 'numpy'} & sys.modules.keys())"
    environment = os.environ | {"DATABASE_URL": "none", "REDIS_URL": "none"}
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "set()"


@pytest.mark.slow
def test_the_process_ends_with_its_asker() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "patina.fit"], input="", capture_output=True, text=True, timeout=HANG_S
    )
    assert (done.returncode, done.stdout) == (0, '{"type": "ready"}\n')


def test_bins_that_no_parameters_describe_are_refused(client: TestClient) -> None:
    body = {"histogram": "age", "kind": "lognormal", "edges": [1e-300, 1e-299, 1e-298, 1e-297], "weights": [1, 2, 2, 1]}
    answer = client.post("/api/v1/fits", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "fit_impossible")
    assert "mu" in answer.json()["detail"]
