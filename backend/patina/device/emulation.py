"""Schemas of emulated disks: what is asked of one, and what its host's worker reports of it."""

from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from patina.core.contract.emulate import EmulatorFigures, Fault, Seed
from patina.figures import in_duration

LEAST_AVAILABLE_BYTES = 64 * 2**20
DEFAULT_AVAILABLE_BYTES = 4 * 2**30
MOST_KEPT_PATHS = 32
MOST_KEPT_PATH_LENGTH = 200
MOST_STRETCH_PIECES = 16_384  # each has a block of 4 KiB of the smallest disk


def _below_the_root(path: str) -> str:
    if "\0" in path or any(name in ("", ".", "..") for name in path.split("/")):
        raise ValueError(f"{path} is no path from the root of the file system. Write database/** or etc/*.conf.")
    return path


KeptPath = Annotated[str, Field(min_length=1, max_length=MOST_KEPT_PATH_LENGTH), AfterValidator(_below_the_root)]


_NEEDS_A_MODEL = {
    "raid": "A RAID needs a disk model. Choose a model, or no RAID.",
    "stretch_pieces_count": "A stretch needs a disk model. Choose a model, or do not stretch.",
    "time": "time accurate needs a disk model. Choose a model, or time fast.",
}


class Raid(BaseModel):
    """A RAID of equal disks, each the modelled one. Data are stored once: only the times are those of the RAID."""

    model_config = ConfigDict(extra="forbid")

    level: Literal[0, 1, 5]
    disks_count: Annotated[int, Field(ge=2, le=64, description="RAID-5: 3 or more")]

    @field_validator("disks_count")
    @classmethod
    def _level_has_enough(cls, count: int, info: ValidationInfo) -> int:
        if info.data.get("level") == 5 and count < 3:
            raise ValueError("RAID-5 needs 3 disks or more")
        return count


class EmulationCreate(BaseModel):
    """An emulated disk: metadata is kept, file data is dropped and generated on reading."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    model: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="Name of the disk model that predicts times; null: none"
    )
    raid: Raid | None = Field(default=None, description="Of several disks of the model; null: one disk")
    stretch_pieces_count: Annotated[int, Field(ge=2, le=MOST_STRETCH_PIECES)] | None = Field(
        default=None,
        description="It is laid over the whole modelled disk in so many pieces, so that seeks are as long as there; "
        "null: it is the first part of the modelled disk",
    )
    data: Literal["zeroes", "random", "text"] = Field(
        default="random", description="What a read of a dropped block returns"
    )
    seed: Seed = 0
    compressible_fraction: Annotated[float, Field(ge=0, le=1, description="Of the generated data")] = 0.0
    time: Literal["accurate", "fast"] = Field(
        default="fast",
        description="accurate: each request ends when the model says; fast: the time is predicted, not waited for",
    )
    keeps_all: bool = Field(default=False, description="Keep file data too")
    kept_paths: Annotated[list[KeptPath], Field(max_length=MOST_KEPT_PATHS)] = Field(
        default=[],
        description="Files whose data is kept as written, from the root of the file system: database/**, etc/*.conf",
    )
    available_bytes: Annotated[int, Field(ge=LEAST_AVAILABLE_BYTES, le=2**50)] | None = Field(
        default=None,
        description="Most that it may store on its host. Default: 4 GiB, or its size if that is less or all is kept",
    )

    @field_validator("raid", "stretch_pieces_count", "time")
    @classmethod
    def _has_a_model(cls, value: object, info: ValidationInfo) -> object:
        is_asked = value is not None and value != "fast"
        if is_asked and info.data.get("model", "") is None:
            raise ValueError(_NEEDS_A_MODEL[info.field_name or ""])
        return value

    @model_validator(mode="after")
    def _keeps_paths_or_all(self) -> Self:
        if self.keeps_all and self.kept_paths:
            raise ValueError("keeps_all keeps every path. Leave out kept_paths, or keeps_all.")
        return self


class Emulation(EmulationCreate):
    """What was asked of an emulated disk, with the defaults that were chosen."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    available_bytes: int = Field(description="Most that it may store on its host")
    model_label: str | None = Field(
        description="Of the modelled disk, for users, with its RAID and the stretch; null: no model"
    )


class Emulated(EmulatorFigures):
    """An emulated disk, as last reported by its host's worker. Times are predictions."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    measured_at: AwareDatetime


class Prediction(BaseModel):
    """What an emulated disk's model predicts for a span of work. A prediction, never a measurement."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)

    model_label: str = Field(description="Of the modelled disk, as of the emulation")
    time: Literal["accurate", "fast"] = Field(description="Of the emulated disk: whether requests waited for the model")
    elapsed_s: float = Field(description="Time that it took here")
    predicted_s: float = Field(description="Time with the waits for the modelled disk")
    is_whole: bool = Field(default=True, description="false: a part of the work was not measured, and both are less")

    def in_words(self) -> str:
        """Returns both times: took 41.0 s here; predicted 1 h 12 min on Hitachi 80 GB."""
        took, predicted = in_duration(self.elapsed_s), in_duration(self.predicted_s)
        part = "" if self.is_whole else "; a part of it was not measured"
        return f"took {took} here; predicted {predicted} on {self.model_label}{part}"


class FaultRead(BaseModel):
    """The fault last asked of an emulated disk."""

    model_config = ConfigDict(extra="forbid")

    fault: Fault
    asked_at: AwareDatetime
    done_at: AwareDatetime | None = Field(description="When the emulator answered; null: not yet")
    error: str | None = Field(description="Why it is not in force; null: it is, or is not yet")
