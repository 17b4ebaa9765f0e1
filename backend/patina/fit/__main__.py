"""The fitter: answers each line of standard input with one line of standard output, until end of input.

A separate process, so that SciPy's memory and time are not the API's (docs/decisions/0014). It exits with its parent,
or after a long idle time.
"""

import json
import resource
import select
import sys
from typing import Any

import numpy as np

from patina.fit import distribution

MEMORY_BYTES = 2 * 2**30
IDLE_S = 300.0


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Returns parameters, weights and distance; or `impossible` and why."""
    edges = np.array(question["edges"], dtype=np.float64)
    weights = None if question["weights"] is None else np.array(question["weights"], dtype=np.float64)
    kind: str = question["kind"]
    # A lognormal has no file of 0 bytes: that bin keeps its weight.
    skipped = 1 if kind != "poisson" and edges[0] == 0 else 0
    try:
        parameters = question["parameters"] or _fitted(kind, edges[skipped:], weights, skipped)
        return _weighed(kind, edges, weights, parameters, skipped)
    except distribution.Impossible as error:
        return {"impossible": str(error)}
    except MemoryError:
        return {"impossible": "it needs too much memory"}


def _fitted(kind: str, edges: Any, weights: Any, skipped: int) -> dict[str, float]:
    if not weights[skipped:].sum() > 0:
        raise distribution.Impossible("every weight is 0")
    return distribution.fit(kind, edges, weights[skipped:])


def _weighed(kind: str, edges: Any, weights: Any, parameters: dict[str, float], skipped: int) -> dict[str, Any]:
    if len(edges) == skipped:
        raise distribution.Impossible("there is no bin above 0 bytes")
    masses = distribution.masses_of(kind, edges[skipped:], parameters)
    total = 1.0 if weights is None or not weights.sum() > 0 else float(weights.sum())
    kept = 0.0 if not skipped or weights is None else float(weights[0])
    fitted = masses * (total - kept)
    if skipped:
        fitted = np.concatenate(([kept], fitted))
    if not np.isfinite(fitted).all():
        raise distribution.Impossible("these parameters give no numbers")
    is_compared = weights is not None and weights.sum() > 0 and fitted.sum() > 0
    return {
        "parameters": parameters,
        "weights": fitted.tolist(),
        "distance": distribution.distance(weights, fitted) if is_compared else None,
    }


def main() -> None:
    """Reports that SciPy is loaded, then answers."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    np.seterr(all="ignore")
    print(json.dumps({"type": "ready"}), flush=True)  # noqa: T201  # standard output is the contract
    while select.select([sys.stdin], [], [], IDLE_S)[0]:
        line = sys.stdin.readline()
        if not line:
            return
        print(json.dumps(answer(json.loads(line))), flush=True)  # noqa: T201  # as above


if __name__ == "__main__":
    main()
