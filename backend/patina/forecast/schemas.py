"""What a forecast is asked for. The answer is the core's Plan."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Fullness = Annotated[float, Field(ge=0.01, le=0.95, description="Block-rounded user data over capacity")]


class ForecastCreate(BaseModel):
    """For a device, `capacity_bytes` is its `capacity_estimate_bytes`: estimated until mkfs has run."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    profile: str
    fullness: Fullness
    capacity_bytes: Annotated[int, Field(ge=1, le=2**60)]
    max_rmse: Annotated[float, Field(gt=0, le=1)] | None = None
    max_overwrites: Annotated[float, Field(gt=0)] | None = None
