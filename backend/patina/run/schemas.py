"""What the API says and takes of runs."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from patina.device.file_system import FileSystem
from patina.device.schemas import DeviceRead
from patina.forecast.plan import Plan
from patina.forecast.schemas import Fullness
from patina.host.schemas import HostMark
from patina.job.schemas import JobRead
from patina.job.state import JobState
from patina.run.event import AgeSummary, CaptureMode
from patina.run.recipe import Recipe
from patina.run.state import Phase, StopReason
from patina.run.way import AgingMode, FullnessOf


class Confirmation(BaseModel):
    """The device the user saw and meant. Checked here, and again by the worker at the moment of writing."""

    model_config = ConfigDict(extra="forbid")

    stable_id: Annotated[str, Field(max_length=500)]
    size_bytes: int
    typed: Annotated[str, Field(max_length=500)] | None = Field(
        default=None, description="Serial or path, typed; needed when the device holds something"
    )


# materialize: every file that is left can be read from disk. fallocate: space alone, where the mode allows it; else
# zeroes. write: incompressible bytes. sparse: length only.
DataMode = Literal["materialize", "fallocate", "write", "sparse"]

Note = Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)]


class StopConditions(BaseModel):
    """What ends a run before its plan does; without any it ends when it has converged. One budget at most."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    max_rmse: Annotated[float, Field(gt=0, le=1, description="Aim at this age RMSE and no better")] | None = None
    max_overwrites: Annotated[float, Field(gt=0, description="Write about this many capacities")] | None = None
    max_seconds: Annotated[float, Field(gt=0, le=10**8, description="Of aging; pauses do not count")] | None = None

    @model_validator(mode="after")
    def _one_budget(self) -> Self:
        if self.max_rmse is not None and self.max_overwrites is not None:
            raise ValueError("give max_rmse or max_overwrites, not both")
        return self


class NoteWrite(BaseModel):
    model_config = ConfigDict(extra="forbid")

    note: Note


class RunSettings(StopConditions):
    """What is asked of an aging, whatever the device."""

    profile: str
    profile_version_number: Annotated[int, Field(ge=1, description="The latest when absent")] | None = None
    fullness: Fullness
    fullness_of: Annotated[FullnessOf, Field(description="What the fullness is of")] = "files"
    mode: AgingMode = "faithful"
    data_mode: DataMode = "materialize"
    capture_mode: CaptureMode = "allocated"
    in_memory: Annotated[bool, Field(description="Age in the host's memory, then write the image to the device")] = (
        False
    )
    threads_count: Annotated[int, Field(ge=1, le=64, description="By default by the mode")] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**53, description="Chosen at random when absent")] | None = None
    note: Note = ""
    waits: Annotated[bool, Field(description="Wait for a busy device or a silent host, in place of being refused")] = (
        False
    )

    @model_validator(mode="after")
    def _threads_of_the_mode(self) -> Self:
        if self.threads_count is not None and self.mode != "unbounded":
            raise ValueError(f"threads_count is set by mode {self.mode}; leave it out, or choose mode unbounded")
        return self


class RunTarget(BaseModel):
    """Which device, as what file system."""

    model_config = ConfigDict(extra="forbid")

    device_id: int
    file_system: FileSystem = FileSystem.EXT4


class RunMember(RunTarget):
    confirmation: Confirmation


class RunCreate(RunSettings, RunMember):
    """Settings, and one device."""


class RunRequest(RunSettings, RunTarget):
    """What is stored of what was asked for: all but the confirmation."""

    extends_id: int | None = Field(default=None, description="The finished run that it goes on from")


class RunProfile(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    title: str


class RunDevice(BaseModel):
    """The device of a run in a list."""

    id: int
    stable_id: str
    path: str | None
    host: HostMark


class RunItem(BaseModel):
    """A run in a list: without the documents that take most of it. The rest is behind its id."""

    id: int
    device: RunDevice
    profile: RunProfile
    profile_version_number: int
    file_system: str
    fullness: float
    fullness_of: FullnessOf
    seed: int
    mode: AgingMode
    data_mode: str
    capture_mode: CaptureMode
    max_rmse: float | None
    max_overwrites: float | None
    max_seconds: float | None
    note: str
    is_waiting: bool = Field(description="Queued behind whoever holds the device")
    batch_id: int | None = Field(description="The batch it was started in")
    state: JobState
    phase: Phase | None
    stop_reason: StopReason | None
    error_code: str | None
    message: str = Field(description="What it does, or how it ended")
    progress_fraction: float = Field(description="Of the current phase")
    eta_s: float | None
    age_rmse: float | None = Field(description="Achieved; null before the aging has ended")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class RunRead(JobRead):
    device: DeviceRead
    profile: RunProfile
    profile_version_number: int
    extends_id: int | None = Field(description="The finished run that it goes on from")
    file_system: str
    fullness: float
    fullness_of: FullnessOf
    seed: int
    mode: AgingMode
    data_mode: str
    capture_mode: CaptureMode
    in_memory: bool = Field(description="Aged in its host's memory; the image is then written to the device")
    threads_count: int | None = Field(description="null: by the mode")
    max_rmse: float | None
    max_overwrites: float | None
    max_seconds: float | None
    asked_conditions: StopConditions | None = Field(description="Asked for, and not yet in force")
    note: str
    batch_id: int | None = Field(description="The batch it was started in")
    resumes_left_count: int = Field(description="How often it goes on by itself when it is interrupted")
    phase: Phase | None
    stop_reason: StopReason | None
    pause_requested_at: datetime | None = Field(description="When a pause was asked for; null when it is to go on")
    progress_fraction: float = Field(description="Of the current phase")
    plan: Plan | None
    summary: AgeSummary | None
    recipe: Recipe | None


class RunPage(BaseModel):
    """Newest first. `next_cursor` is null on the last page."""

    items: list[RunItem]
    next_cursor: int | None
