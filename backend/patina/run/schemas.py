"""What the API says and takes of runs."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from patina.device.schemas import DeviceRead
from patina.forecast.plan import Plan
from patina.forecast.schemas import Fullness
from patina.profile.schemas import ProfileRead
from patina.run.event import AgeSummary, CaptureMode, RunEvent
from patina.run.recipe import Recipe
from patina.run.state import Phase, RunState, StopReason


class Confirmation(BaseModel):
    """The device the user saw and meant. Checked here, and again by the worker at the moment of writing."""

    model_config = ConfigDict(extra="forbid")

    stable_id: str
    size_bytes: int
    typed: str | None = Field(default=None, description="Serial or path, typed; needed when the device holds something")


class RunCreate(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    device_id: int
    profile: str
    fullness: Fullness
    confirmation: Confirmation
    file_system: Literal["ext4"] = "ext4"
    data_mode: Literal["fallocate", "write", "sparse"] = "fallocate"
    capture_mode: CaptureMode = "allocated"
    threads_count: Annotated[int, Field(ge=1, le=64)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**53, description="Chosen at random when absent")] | None = None
    max_rmse: Annotated[float, Field(gt=0, le=1)] | None = None
    max_overwrites: Annotated[float, Field(gt=0)] | None = None


class RunRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    device: DeviceRead
    profile: ProfileRead
    profile_version_number: int
    file_system: str
    fullness: float
    seed: int
    data_mode: str
    capture_mode: CaptureMode
    threads_count: int
    max_rmse: float | None
    max_overwrites: float | None
    state: RunState
    phase: Phase | None
    stop_reason: StopReason | None
    cancel_requested_at: datetime | None
    error_code: str | None
    error_message: str | None
    error_log: str | None
    progress_fraction: float = Field(description="Of the current phase")
    eta_s: float | None
    plan: Plan | None
    summary: AgeSummary | None
    recipe: Recipe | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class RunPage(BaseModel):
    """Newest first. `next_cursor` is null on the last page."""

    items: list[RunRead]
    next_cursor: int | None


class RunEventPage(BaseModel):
    """In order of sequence, after the one asked for."""

    items: list[RunEvent]
    last_sequence: int = Field(description="The newest stored sequence of the run")
