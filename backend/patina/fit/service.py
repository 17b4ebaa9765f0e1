"""Fits a distribution to the bars of a histogram, or makes the bars of a distribution."""

from itertools import pairwise

from pydantic import ValidationError

from patina.fit.fitter import FitImpossible, Fitter
from patina.fit.schemas import (
    FitCreate,
    FitKind,
    FitRead,
    LognormalParameters,
    LognormalParetoParameters,
    PoissonParameters,
)
from patina.profile.histogram import HistogramName

_KINDS: dict[HistogramName, tuple[FitKind, ...]] = {
    "size": ("lognormal", "lognormal_pareto"),
    "depth": ("poisson",),
    "age": ("lognormal",),
}
_PARAMETERS: dict[FitKind, type[LognormalParameters | LognormalParetoParameters | PoissonParameters]] = {
    "lognormal": LognormalParameters,
    "lognormal_pareto": LognormalParetoParameters,
    "poisson": PoissonParameters,
}


def make_fit(*, fitter: Fitter, create: FitCreate) -> FitRead:
    """Returns parameters, weights and their distance from those given. Raises FitImpossible, FitterUnavailable."""
    _check(create)
    answer = fitter.ask(
        {
            "kind": create.kind,
            "edges": create.edges,
            "weights": create.weights,
            "parameters": None if create.parameters is None else create.parameters.model_dump(),
        }
    )
    try:
        parameters = _PARAMETERS[create.kind].model_validate(answer["parameters"])
    except ValidationError as error:
        where = ", ".join(str(each["loc"][-1]) for each in error.errors())
        raise FitImpossible(f"No {create.kind} within its limits ({where}) comes near these bins.") from error
    return FitRead(parameters=parameters, weights=answer["weights"], distance=answer["distance"])


def _check(create: FitCreate) -> None:
    """Checks the combination of the request's fields. Raises FitImpossible."""
    kinds = _KINDS[create.histogram]
    if create.kind not in kinds:
        raise FitImpossible(f"The {create.histogram} histogram is fitted by {' or '.join(kinds)}, not {create.kind}.")
    for index, (low, high) in enumerate(pairwise(create.edges)):
        if low >= high:
            raise FitImpossible(f"Bin {index + 2}: edge {high:g} must be greater than {low:g} before it.")
    if create.weights is not None and len(create.weights) != len(create.edges):
        raise FitImpossible(f"There are {len(create.edges)} edges and {len(create.weights)} weights. Give one an edge.")
    if create.parameters is not None and not isinstance(create.parameters, _PARAMETERS[create.kind]):
        names = ", ".join(_PARAMETERS[create.kind].model_fields)
        raise FitImpossible(f"The parameters of {create.kind} are {names}.")
    if create.parameters is None and create.weights is None:
        raise FitImpossible("Give weights to fit, or parameters to make weights of.")
