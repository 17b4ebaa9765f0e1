"""Schemas of runs."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from patina.account.models import Visibility
from patina.account.schemas import Sharing
from patina.core.contract.age import AgeSummary
from patina.core.contract.phase import Phase, StopReason
from patina.core.contract.workload import RunPlan
from patina.device.emulation import Prediction
from patina.device.schemas import DeviceRead
from patina.host.schemas import HostMark
from patina.http.page import Page
from patina.job.schemas import JobRead
from patina.job.state import JobState
from patina.profile.schemas import LINE, Tags
from patina.run.image_name import ImageName
from patina.run.recipe import Recipe
from patina.run.settings import ExactLength, FileSystemSettings, RunSettings, StopConditions


class Confirmation(BaseModel):
    """The device that the user saw and chose. Checked here, and again by the worker right before it writes."""

    model_config = ConfigDict(extra="forbid")

    stable_id: Annotated[str, Field(max_length=500)]
    size_bytes: int
    typed: Annotated[str, Field(max_length=500)] | None = Field(
        default=None, description="Serial or path, typed by the user; required unless the device is blank"
    )


Note = Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)]


RunName = Annotated[str, StringConstraints(pattern=LINE, strip_whitespace=True, max_length=100)]


class RunChange(BaseModel):
    """What is given is changed. None of it has an effect on the run."""

    model_config = ConfigDict(extra="forbid")

    name: RunName | None = Field(default=None, description="Empty: only its number")
    tags: Tags | None = None
    note: Note | None = Field(default=None, description="Markdown")
    archived: bool | None = Field(default=None, description="true: hidden from the list of runs")


class RunWishes(BaseModel):
    """Options beside the settings, without effect on the image."""

    note: Note = ""
    waits: Annotated[bool, Field(description="Wait for a busy device or a silent host instead of being refused")] = (
        False
    )
    sharing: Sharing | None = Field(default=None, description="Who sees it; null: who sees its profile")


class WithImageName(BaseModel):
    image_name: ImageName | None = Field(
        default=None, description="Name of its image, with a number added if an image has it; default: by the settings"
    )


class RunMember(FileSystemSettings, WithImageName):
    """A device, the file system to make on it, and the name of the image."""

    device_id: int
    confirmation: Confirmation


class RunRequest(RunSettings, RunWishes, WithImageName):
    """The stored request, without the confirmation."""

    device_id: int
    extends_id: int | None = Field(default=None, description="The finished run that it extends")
    reproduces_id: int | None = Field(default=None, description="The image whose recipe it carries out again")


class RunCreate(RunSettings, RunWishes, RunMember):
    """Settings, and one device."""


class ExtensionCreate(ExactLength):
    """Stop conditions of an extension. The time counts from its start."""

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
    size_bytes: int = Field(description="At the start of the run")
    host: HostMark


class RunItem(RunSettings):
    """A run, in a list, without its large documents. Get them by its id."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    id: int
    device: RunDevice
    profile: RunProfile | None  # type: ignore[assignment]  # more than its name
    name: str = Field(description="Empty: only its number")
    tags: list[str]
    note: str
    archived_at: datetime | None = Field(description="null: it is in the list of runs")
    is_waiting: bool = Field(description="Queued behind the job that holds the device")
    batch_id: int | None = Field(description="The batch it was started in")
    state: JobState
    phase: Phase | None
    stop_reason: StopReason | None
    error_code: str | None
    message: str = Field(description="Its current work, or how it ended")
    progress_fraction: float = Field(description="Completed fraction of the current phase")
    eta_s: float | None
    age_rmse: float | None = Field(description="Achieved; null before the aging has ended, and for a workload")
    operation_log_bytes: int | None = Field(description="Size of the operation log; null without one")
    prediction: Prediction | None = Field(description="Of its aging on an emulated disk with a model; null: none")
    visibility: Visibility
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class RunRead(RunSettings, JobRead):
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    device: DeviceRead
    profile: RunProfile | None  # type: ignore[assignment]  # more than its name
    extends_id: int | None = Field(description="The finished run that it extends")
    reproduces_id: int | None = Field(description="The image whose recipe it carries out again")
    asked_conditions: StopConditions | None = Field(description="Requested, not yet in force")
    name: str = Field(description="Empty: only its number")
    tags: list[str]
    note: str
    archived_at: datetime | None = Field(description="null: it is in the list of runs")
    batch_id: int | None = Field(description="The batch it was started in")
    resumes_left_count: int = Field(description="Remaining automatic resumes after interruptions")
    phase: Phase | None
    stop_reason: StopReason | None
    pause_requested_at: datetime | None = Field(description="When a pause was requested; null if the run is to go on")
    progress_fraction: float = Field(description="Completed fraction of the current phase")
    plan: RunPlan | None
    operation_log_bytes: int | None = Field(description="Size of the operation log; null without one")
    survivors_bytes: int | None = Field(description="Size of the log of its survivors; null without one")
    summary: AgeSummary | None
    prediction: Prediction | None = Field(
        description="Of the aging on an emulated disk with a model, in all its parts; null: no such disk"
    )
    recipe: Recipe | None


class RunPage(Page[RunItem]):
    """Runs, in the order of the query. `next_cursor` is null on the last page."""
