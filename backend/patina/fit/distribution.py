"""Distributions over bins, and maximum-likelihood fits. Only the fitter's process imports it: it needs SciPy.

A bin covers values above the previous edge, up to its own. The first also covers values below, the last values
above: the masses always sum to 1.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

Array = NDArray[np.float64]
Masses = dict[str, float]

MIN_SIGMA, MAX_SIGMA = 1e-3, 50.0
MIN_ALPHA, MAX_ALPHA = 0.01, 20.0
MAX_MEAN = 128.0
# How far beyond the bins a median may lie: farther out, the bars do not distinguish medians.
MAX_MEDIAN_FACTOR = 1024.0
MAX_TAIL_CANDIDATES_COUNT = 16
MAX_STEPS_COUNT = 600
# Smallest expected mass of a bin, so that weight in an empty bin is unlikely, not impossible.
_LEAST_MASS = 1e-300


class Impossible(Exception):
    """No parameters describe these weights; the message has the reason."""


def masses_of(kind: str, edges: Array, parameters: Masses) -> Array:
    """Returns the share of files in each bin, summing to 1."""
    if kind == "poisson":
        return _poisson_masses(edges, parameters["mean"])
    if kind == "lognormal":
        return _lognormal_masses(edges, parameters["mu"], parameters["sigma"])
    return _tailed_masses(edges, parameters)


def fit(kind: str, edges: Array, weights: Array) -> Masses:
    """Returns the parameters of maximum likelihood. Raises Impossible."""
    shares = weights / weights.sum()
    if kind == "poisson":
        return _fit_poisson(edges, shares)
    if kind == "lognormal":
        return _fit_lognormal(edges, shares)
    return _fit_tailed(edges, shares)


def distance(weights: Array, masses: Array) -> float:
    """Returns Kolmogorov and Smirnov's distance: the largest difference of the cumulated shares."""
    apart = np.abs(np.cumsum(weights / weights.sum()) - np.cumsum(masses / masses.sum()))
    return float(min(apart.max(), 1.0))


def _between(lower_at: Array, upper_at: Array) -> Array:
    """Returns the masses of the bins, from the distribution below and above each inner edge, each exact where small."""
    lower = np.concatenate(([0.0], lower_at, [1.0]))
    upper = np.concatenate(([1.0], upper_at, [0.0]))
    return np.maximum(np.where(lower[:-1] < 0.5, np.diff(lower), -np.diff(upper)), 0.0)


def _lognormal_masses(edges: Array, mu: float, sigma: float) -> Array:
    z = (np.log(edges[:-1]) - mu) / sigma
    return _between(special.ndtr(z), special.ndtr(-z))


def _poisson_masses(edges: Array, mean: float) -> Array:
    return _between(special.pdtr(edges[:-1], mean), special.pdtrc(edges[:-1], mean))


def _tailed_masses(edges: Array, parameters: Masses) -> Array:
    tail_from, tail = parameters["tail_from"], parameters["tail_fraction"]
    mu, sigma = parameters["mu"], parameters["sigma"]
    inner = edges[:-1]
    cut = special.ndtr((np.log(tail_from) - mu) / sigma)
    if cut <= _LEAST_MASS:
        raise Impossible("the lognormal has no files below the beginning of the tail; begin it at more bytes")
    body = np.minimum(special.ndtr((np.log(inner) - mu) / sigma) / cut, 1.0)
    beyond = np.power(tail_from / np.maximum(inner, tail_from), parameters["alpha"])
    above = np.where(inner < tail_from, tail + (1 - tail) * (1 - body), tail * beyond)
    return _between(1 - above, above)


def _likelihood(shares: Array, masses: Array) -> float:
    return float(np.dot(shares, np.log(np.maximum(masses, _LEAST_MASS))))


def _weighted_count(shares: Array) -> int:
    return int(np.count_nonzero(shares > 0))


def _start(edges: Array, shares: Array) -> tuple[float, float]:
    """Returns mean and deviation of the logarithm, with each file in the middle of its bin."""
    before = np.concatenate(([edges[0] / 2], edges[:-1]))
    middles = (np.log(before) + np.log(edges)) / 2
    mu = float(np.dot(shares, middles))
    return mu, float(max(np.sqrt(np.dot(shares, (middles - mu) ** 2)), 0.1))


def _minimize(cost: Callable[[Array], float], edges: Array, shares: Array) -> tuple[float, float]:
    start = _start(edges, shares)
    reach = np.log(MAX_MEDIAN_FACTOR)
    median_between = (np.log(edges[0]) - reach, np.log(edges[-1]) + reach)
    found: Any = optimize.minimize(
        cost,
        np.array([start[0], np.log(start[1])]),
        method="Nelder-Mead",
        bounds=[median_between, (np.log(MIN_SIGMA), np.log(MAX_SIGMA))],
        options={"maxiter": MAX_STEPS_COUNT, "maxfev": MAX_STEPS_COUNT, "xatol": 1e-7, "fatol": 1e-12},
    )
    return float(found.x[0]), float(np.exp(found.x[1]))


def _fit_lognormal(edges: Array, shares: Array) -> Masses:
    if _weighted_count(shares) < 3:
        raise Impossible("a lognormal needs weight in at least three bins")

    def cost(x: Array) -> float:
        return -_likelihood(shares, _lognormal_masses(edges, float(x[0]), float(np.exp(x[1]))))

    mu, sigma = _minimize(cost, edges, shares)
    return {"mu": mu, "sigma": float(np.clip(sigma, MIN_SIGMA, MAX_SIGMA))}


def _fit_poisson(edges: Array, shares: Array) -> Masses:
    if _weighted_count(shares) < 2:
        raise Impossible("a Poisson distribution needs weight in at least two bins")

    def cost(mean: float) -> float:
        return -_likelihood(shares, _poisson_masses(edges, mean))

    found: Any = optimize.minimize_scalar(cost, bounds=(1e-6, MAX_MEAN), method="bounded", options={"xatol": 1e-9})
    return {"mean": float(found.x)}


def _fit_tailed(edges: Array, shares: Array) -> Masses:
    """Fits a lognormal with a tail, which begins at the likeliest edge."""
    last = len(edges) - 1
    candidates = [
        cut
        for cut in range(1, last)
        if _weighted_count(shares[: cut + 1]) >= 3 and _weighted_count(shares[cut + 1 :]) >= 2
    ]
    if not candidates:
        raise Impossible("a lognormal with a tail needs weight in at least five bins, two of them in the tail")
    tries = [_fit_cut(edges, shares, cut) for cut in candidates[-MAX_TAIL_CANDIDATES_COUNT:]]
    return max(tries, key=lambda parameters: _likelihood(shares, _tailed_masses(edges, parameters)))


def _fit_cut(edges: Array, shares: Array, cut: int) -> Masses:
    tail_from = float(edges[cut])
    tail_fraction = float(shares[cut + 1 :].sum())
    body_shares = shares[: cut + 1] / shares[: cut + 1].sum()
    body_edges = edges[: cut + 1]

    def body_cost(x: Array) -> float:
        mu, sigma = float(x[0]), float(np.exp(x[1]))
        upper = np.append(special.ndtr((np.log(body_edges) - mu) / sigma), 0.0)[: cut + 1]
        masses = np.diff(np.concatenate(([0.0], upper)))
        return -_likelihood(body_shares, masses / max(upper[-1], _LEAST_MASS))

    mu, sigma = _minimize(body_cost, body_edges, body_shares)
    tail_shares = shares[cut + 1 :] / tail_fraction

    def tail_cost(alpha: float) -> float:
        above = np.power(tail_from / edges[cut + 1 : -1], alpha)
        return -_likelihood(tail_shares, -np.diff(np.concatenate(([1.0], above, [0.0]))))

    found: Any = optimize.minimize_scalar(tail_cost, bounds=(MIN_ALPHA, MAX_ALPHA), method="bounded")
    return {
        "mu": mu,
        "sigma": float(np.clip(sigma, MIN_SIGMA, MAX_SIGMA)),
        "alpha": float(found.x),
        "tail_from": tail_from,
        "tail_fraction": min(tail_fraction, float(np.nextafter(1, 0))),
    }
