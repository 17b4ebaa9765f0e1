"""What the API says and takes of runs."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from patina.core.contract.age import AgeSummary
from patina.core.contract.phase import Phase, StopReason
from patina.core.contract.workload import RunPlan
from patina.device.schemas import DeviceRead
from patina.file_system.table import FileSystem
from patina.host.schemas import HostMark
from patina.http.page import Page
from patina.job.schemas import JobRead
from patina.job.state import JobState
from patina.run.recipe import Recipe
from patina.run.settings import RunSettings, StopConditions


class Confirmation(BaseModel):
    """The device the user saw and meant. Checked here, and again by the worker at the moment of writing."""

    model_config = ConfigDict(extra="forbid")

    stable_id: Annotated[str, Field(max_length=500)]
    size_bytes: int
    typed: Annotated[str, Field(max_length=500)] | None = Field(
        default=None, description="Serial or path, typed; needed when the device holds something"
    )


Note = Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)]


class NoteWrite(BaseModel):
    model_config = ConfigDict(extra="forbid")

    note: Note


class RunWishes(BaseModel):
    """What is asked beside the settings, and shapes nothing of the image."""

    note: Note = ""
    waits: Annotated[bool, Field(description="Wait for a busy device or a silent host, in place of being refused")] = (
        False
    )


class RunMember(BaseModel):
    """Which device, as what file system."""

    model_config = ConfigDict(extra="forbid")

    device_id: int
    confirmation: Confirmation
    file_system: FileSystem = FileSystem.EXT4


class RunRequest(RunSettings, RunWishes):
    """What is stored of what was asked for: all but the confirmation."""

    device_id: int
    extends_id: int | None = Field(default=None, description="The finished run that it goes on from")


class RunCreate(RunSettings, RunWishes, RunMember):
    """Settings, and one device."""


class ExtensionCreate(StopConditions):
    """When the run that goes on is to stop. The time counts from where it goes on."""

    confirmation: Confirmation
    note: Note = ""


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


class RunItem(RunSettings):
    """A run in a list: without the documents that take most of it. The rest is behind its id."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    id: int
    device: RunDevice
    profile: RunProfile | None  # type: ignore[assignment]  # more than its name
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
    age_rmse: float | None = Field(description="Achieved; null before the aging has ended, and of a workload")
    operation_log_bytes: int | None = Field(description="Of the log that can be replayed; null: there is none")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class RunRead(RunSettings, JobRead):
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    device: DeviceRead
    profile: RunProfile | None  # type: ignore[assignment]  # more than its name
    extends_id: int | None = Field(description="The finished run that it goes on from")
    asked_conditions: StopConditions | None = Field(description="Asked for, and not yet in force")
    note: str
    batch_id: int | None = Field(description="The batch it was started in")
    resumes_left_count: int = Field(description="How often it goes on by itself when it is interrupted")
    phase: Phase | None
    stop_reason: StopReason | None
    pause_requested_at: datetime | None = Field(description="When a pause was asked for; null when it is to go on")
    progress_fraction: float = Field(description="Of the current phase")
    plan: RunPlan | None
    operation_log_bytes: int | None = Field(description="Of the log that can be replayed; null: there is none")
    summary: AgeSummary | None
    recipe: Recipe | None


class RunPage(Page[RunItem]):
    """Runs, newest first. `next_cursor` is null on the last page."""
