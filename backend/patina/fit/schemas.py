"""Schemas of fits."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from patina.profile.histogram import MAX_AGE, MAX_BINS_COUNT, MAX_WEIGHT, HistogramName

FitKind = Literal["lognormal", "lognormal_pareto", "poisson"]

Edge = Annotated[float, Field(ge=0, le=MAX_AGE)]
Weight = Annotated[float, Field(ge=0, le=MAX_WEIGHT)]
Mu = Annotated[float, Field(ge=-100, le=100, description="Mean of the natural logarithm of the edge")]
Sigma = Annotated[float, Field(ge=1e-3, le=50, description="Standard deviation of the natural logarithm of the edge")]


class _Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


class LognormalParameters(_Parameters):
    mu: Mu
    sigma: Sigma


class LognormalParetoParameters(_Parameters):
    """A lognormal, cut off at `tail_from`, with Pareto's law for larger files."""

    mu: Mu
    sigma: Sigma
    alpha: Annotated[float, Field(ge=0.01, le=20, description="Pareto's exponent")]
    tail_from: Annotated[float, Field(gt=0, le=MAX_AGE, description="Bytes")]
    tail_fraction: Annotated[float, Field(ge=0, lt=1, description="Fraction of the files in the tail")]


class PoissonParameters(_Parameters):
    mean: Annotated[float, Field(gt=0, le=128, description="Mean depth")]


Parameters = LognormalParetoParameters | LognormalParameters | PoissonParameters


class FitCreate(BaseModel):
    """With `parameters` the weights are computed from them; without, both are fitted to `weights`."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    histogram: HistogramName
    kind: FitKind
    edges: Annotated[list[Edge], Field(min_length=1, max_length=MAX_BINS_COUNT)]
    weights: Annotated[list[Weight], Field(max_length=MAX_BINS_COUNT)] | None = None
    parameters: Parameters | None = None


class FitRead(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)

    parameters: Parameters
    weights: list[float] = Field(description="They add up to the sum of the given weights, or to 1")
    distance: Annotated[float, Field(ge=0, le=1)] | None = Field(
        description="Kolmogorov and Smirnov's, between these weights and the given ones; null without given ones"
    )
