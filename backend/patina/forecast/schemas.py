"""Schemas of forecasts. The response is the core's Plan."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from patina.profile.histogram import Histograms

MOST_MODIFICATIONS = 0.9
Fullness = Annotated[float, Field(ge=0.01, le=0.95, description="Block-rounded user data over capacity")]


# Histograms converge by creates and deletes: other operations are nine in ten at most.
_Part = Annotated[float, Field(ge=0, le=0.9)]


class FileSettings(BaseModel):
    """Properties of the files; modifications, as fractions of the operations of
    stable aging."""

    size_draw: Annotated[
        Literal["exact", "log_uniform"],
        Field(description="File sizes: the bin's edge, or drawn between the previous edge and this one"),
    ] = "exact"
    append_fraction: _Part = Field(default=0, description="Write the bytes that a truncate or a punched hole removed")
    overwrite_fraction: _Part = Field(default=0, description="Overwrite a part in place")
    truncate_fraction: _Part = Field(default=0, description="Truncate the end; an append follows")
    rename_fraction: _Part = Field(default=0, description="Rename within the directory")
    punch_hole_fraction: _Part = Field(default=0, description="Punch a hole; an append follows")

    @model_validator(mode="after")
    def _leaves_creates_and_deletes(self) -> Self:
        parts = [getattr(self, name) for name in FileSettings.model_fields if name.endswith("_fraction")]
        if sum(parts) > MOST_MODIFICATIONS:
            raise ValueError(f"the fractions of operations add up to {sum(parts):g}, and may to {MOST_MODIFICATIONS:g}")
        return self


class ForecastCreate(FileSettings):
    """For a device, `capacity_bytes` is its `capacity_estimate_bytes`: an estimate until mkfs has run."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    profile: Annotated[str | None, Field(description="Name of a profile")] = None
    profile_version_number: Annotated[int, Field(ge=1, description="Default: the latest")] | None = None
    histograms: Annotated[Histograms | None, Field(description="Instead of a name: histograms under edit")] = None
    fullness: Fullness
    capacity_bytes: Annotated[int, Field(ge=1, le=2**60)]
    max_rmse: Annotated[float, Field(gt=0, le=1)] | None = None
    max_overwrites: Annotated[float, Field(gt=0)] | None = None
    max_ops: Annotated[int, Field(ge=1, le=2**53)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.profile is None) == (self.histograms is None):
            raise ValueError("give the name of a profile or histograms, one of the two")
        if self.profile is None and self.profile_version_number is not None:
            raise ValueError("a version is of a profile: give its name")
        if sum(budget is not None for budget in (self.max_rmse, self.max_overwrites, self.max_ops)) > 1:
            raise ValueError("a forecast has one budget at most: max_rmse, max_overwrites or max_ops")
        return self
