"""Bins of the three histograms, and their validation before they are stored. Pure, without a database.

The mathematics (fractions, fitting, the horizon) is the core's; this module checks the document. The bounds
are the core's own.
"""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from patina.errors import FieldProblem, PatinaError

HistogramName = Literal["size", "depth", "age"]

MAX_BINS_COUNT = 256
MAX_BYTES = 2**46
MAX_DEPTH = 64
MAX_DIRECTORIES_COUNT = 100_000
MAX_AGE = 1e18
MAX_WEIGHT = 1e15

Weight = Annotated[float, Field(ge=0, le=MAX_WEIGHT)]


# `errors` names the bins, as `histograms.age.3.age`.
ProfileInvalid = PatinaError.of("profile_invalid", "Invalid profile", status=422)


class _Bin(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


class SizeBin(_Bin):
    """Files of exactly `bytes`."""

    bytes: Annotated[int, Field(ge=0, le=MAX_BYTES)]
    weight: Weight


class DepthBin(_Bin):
    """Files at directory depth `depth` (0 is the mount root), over `subdirs` directories there (at least one)."""

    depth: Annotated[int, Field(ge=0, le=MAX_DEPTH)]
    weight: Weight
    subdirs: Annotated[int, Field(ge=0, le=MAX_DIRECTORIES_COUNT)]


class AgeBin(_Bin):
    """Files younger than `age` (unitless) and not younger than the previous bin's edge."""

    age: Annotated[float, Field(gt=0, le=MAX_AGE)]
    weight: Weight


class Histograms(BaseModel):
    """Content of a profile. Edges ascend strictly; each histogram has weight. Raises ProfileInvalid, naming every
    misplaced bin."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    size: Annotated[list[SizeBin], Field(min_length=1, max_length=MAX_BINS_COUNT)]
    depth: Annotated[list[DepthBin], Field(min_length=1, max_length=MAX_DEPTH + 1)]
    age: Annotated[list[AgeBin], Field(min_length=1, max_length=MAX_BINS_COUNT)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        problems = [
            *_order_problems("size", "bytes", [b.bytes for b in self.size]),
            *_order_problems("depth", "depth", [b.depth for b in self.depth]),
            *_order_problems("age", "age", [b.age for b in self.age]),
        ]
        for name, bins in (("size", self.size), ("depth", self.depth), ("age", self.age)):
            if not any(b.weight > 0 for b in bins):
                message = f"{name}: at least one bin needs a weight above 0"
                problems.append(FieldProblem(field=f"histograms.{name}", message=message))
        directories_count = sum(b.subdirs for b in self.depth)
        if directories_count > MAX_DIRECTORIES_COUNT:
            message = f"depth: {directories_count} directories in all; the limit is {MAX_DIRECTORIES_COUNT}"
            problems.append(FieldProblem(field="histograms.depth", message=message))
        if problems:
            raise ProfileInvalid("; ".join(p.message for p in problems[:5]), errors=problems)
        return self


def _order_problems(histogram: HistogramName, field: str, edges: list[int] | list[float]) -> Iterator[FieldProblem]:
    for index in range(1, len(edges)):
        low, high = edges[index - 1], edges[index]
        if low >= high:
            message = f"{histogram} bin {index + 1}: edge {high} must be greater than {low} before it"
            yield FieldProblem(field=f"histograms.{histogram}.{index}.{field}", message=message)
