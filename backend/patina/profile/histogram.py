"""Bins of the three histograms: pure, no database. The validation a profile passes before it is stored.

The mathematics (fractions, what fits, the horizon) is the core's; here is only what a document must be.
"""

from itertools import pairwise
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Weight = Annotated[float, Field(ge=0, le=1e15)]
MAX_BINS_COUNT = 4096


class _Bin(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)
    weight: Weight


class SizeBin(_Bin):
    """Files of exactly `bytes`."""

    bytes: Annotated[int, Field(ge=0, le=2**50)]


class DepthBin(_Bin):
    """Files at directory depth `depth` (0 is the mount root), over `subdirs` directories there (one at least)."""

    depth: Annotated[int, Field(ge=0, le=64)]
    subdirs: Annotated[int, Field(ge=0, le=1_000_000)]


class AgeBin(_Bin):
    """Files younger than `age` (unitless) and not younger than the previous bin's edge."""

    age: Annotated[float, Field(gt=0, le=1e18)]


class Histograms(BaseModel):
    """A profile's content. Edges ascend strictly; each histogram has weight."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    size: Annotated[list[SizeBin], Field(min_length=1, max_length=MAX_BINS_COUNT)]
    depth: Annotated[list[DepthBin], Field(min_length=1, max_length=65)]
    age: Annotated[list[AgeBin], Field(min_length=1, max_length=MAX_BINS_COUNT)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        edges: dict[str, list[float]] = {
            "size": [b.bytes for b in self.size],
            "depth": [b.depth for b in self.depth],
            "age": [b.age for b in self.age],
        }
        for name, values in edges.items():
            for index, (low, high) in enumerate(pairwise(values)):
                if low >= high:
                    raise ValueError(f"{name} bin {index + 2}: edge {high} must be greater than {low} before it")
        for name, bins in (("size", self.size), ("depth", self.depth), ("age", self.age)):
            if not any(b.weight > 0 for b in bins):
                raise ValueError(f"{name}: at least one bin needs a weight above 0")
        return self
