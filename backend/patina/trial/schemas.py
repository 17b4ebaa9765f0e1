"""Schemas of trials."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from patina.account.models import Visibility
from patina.account.schemas import Sharing
from patina.core.contract.measured import Personality
from patina.device.schemas import DeviceRead
from patina.http.page import Page
from patina.image.schemas import ImageLink
from patina.job.schemas import JobRead
from patina.job.state import JobState
from patina.run.schemas import Confirmation, Note
from patina.run.settings import RunSettings
from patina.trial.measurement import Measurement, TrialEnvironment
from patina.trial.models import RepetitionState
from patina.trial.settings import Arm, TrialSettings

TrialName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)]


class ArmCreate(Arm):
    """An arm of a trial to start: an image, an open run, or the settings of a run that makes its image first."""

    ages: RunSettings | None = Field(default=None, description="Aged first, on the trial's device")
    gets_data: bool = Field(
        default=False,
        description="With image_id: if its files have no data, its recipe is aged first with data mode materialize",
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if sum(source is not None for source in (self.image_id, self.run_id, self.ages)) != 1:
            raise ValueError("give image_id, run_id or ages, one of the three")
        return self


class TrialRequest(TrialSettings):
    """The stored request, without the confirmation."""

    # Other than stored arms, these may ask for a run; mypy takes a list of them for no list of arms.
    arms: Annotated[list[ArmCreate], Field(min_length=1, max_length=32)]  # type: ignore[assignment]
    device_id: int
    name: TrialName = ""
    note: Note = ""
    waits: Annotated[bool, Field(description="Wait for a busy device or a silent host instead of being refused")] = (
        False
    )
    sharing: Sharing | None = Field(
        default=None, description="Who sees it, with the runs that make its images; null: who sees its images"
    )
    adds_twins: Annotated[
        bool, Field(description="Measure the unaged twin of each file system too; one that is missing is made first")
    ] = False


class TrialCreate(TrialRequest):
    confirmation: Confirmation


class TrialResult(BaseModel):
    """The trial's result. The measurements are in its repetitions."""

    done_count: int
    failed_count: int
    skipped_count: int
    digest: str | None = Field(
        default=None,
        description="SHA-256 of the measurements in their order, each as JSON with sorted keys and without spaces, a "
        "line each; null: nothing was measured",
    )


class RepetitionRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    position: int = Field(description="In the order of execution, from 0")
    arm: int = Field(description="Index into the settings' arms")
    workload: int = Field(description="Index into the settings' workloads")
    number: int = Field(description="Of this workload on this arm, from 1")
    state: RepetitionState
    image: ImageLink | None
    started_at: datetime | None
    finished_at: datetime | None
    error_code: str | None
    error_message: str | None


class RepetitionMeasured(RepetitionRead):
    measurement: Measurement | None


class MeasurementList(BaseModel):
    items: list[RepetitionMeasured] = Field(description="In the order of execution")


class Estimate(BaseModel):
    """A mean with Student's 95 % interval; null for fewer than two values."""

    count: int
    mean: float
    low: float | None
    high: float | None
    deviation: float | None


class TrialPoint(BaseModel):
    """A point of the repetitions of a workload that ages the device itself."""

    at: float = Field(description="Commits pulled")
    estimate: Estimate = Field(description="Of the metric")
    cost: Estimate | None = Field(
        description="Seconds of one pull, on average since the point before; null: none, or copied"
    )


class PredictedEstimate(BaseModel):
    """What the model of an emulated disk predicts for the repetitions of one workload on one arm. A prediction."""

    elapsed_s: Estimate | None = Field(
        description="Time that a repetition took here, with its warm-up and the last sync; null: not measured"
    )
    predicted_s: Estimate = Field(description="The same with the waits for the modelled disk")


class TrialFigure(BaseModel):
    """The repetitions of one workload on one arm."""

    arm: int
    workload: int
    values: list[float] = Field(description="Of the metric, by repetition; outliers are not dropped")
    outliers: list[int] = Field(description="Indexes into values, by the modified z-score; five or more are needed")
    estimate: Estimate
    ratio: Estimate | None = Field(description="Over the base of its group, by propagation of both errors; null: none")
    rank: int | None = Field(description="Among the groups at this arm's state; 1 is the best mean")
    write_amplification: Estimate | None
    space_amplification: Estimate | None
    metadata_share: Estimate | None = Field(
        description="Of the bytes written from the mount to the unmount, those that the file system marked as metadata"
    )
    prediction: PredictedEstimate | None = Field(description="On an emulated disk with a model; null: none")
    points: list[TrialPoint] = Field(description="Of a workload that ages the device itself, in its course")
    disturbed_count: int = Field(description="Repetitions during which the host was not quiet")


class RankChange(BaseModel):
    """Two groups whose order aging reversed, beyond the intervals of both."""

    workload: int
    state: str = Field(description="Label of the aged state")
    first: str
    second: str


class TrialRun(BaseModel):
    """A run that makes an image of the trial."""

    id: int
    state: JobState
    message: str


class TrialRead(JobRead):
    device: DeviceRead
    name: str
    note: str
    settings: TrialSettings
    environment: TrialEnvironment | None
    runs: list[TrialRun] = Field(description="That make its images, in their order")
    repetitions: list[RepetitionRead] = Field(description="In the order of execution")
    figures: list[TrialFigure]
    rank_changes: list[RankChange]
    resumes_left_count: int = Field(description="How often it may still go on by itself after an interruption")
    result: TrialResult | None


class TrialItem(BaseModel):
    """A trial, in a list."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    state: JobState
    is_waiting: bool
    message: str
    error_code: str | None
    device_id: int
    arms: list[str] = Field(description="Labels")
    workloads: list[str] = Field(description="Names")
    repetitions_count: int = Field(description="Of each workload on each arm")
    done_count: int = Field(description="Repetitions that have ended, of all")
    total_count: int
    visibility: Visibility
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class TrialPage(Page[TrialItem]):
    """Trials, newest first. `next_cursor` is null on the last page."""


class WorkloadDescription(BaseModel):
    """A workload as it would run."""

    name: str
    summary: str = Field(description="The first comment of its specification")
    spec: str = Field(description="Its text")
    personality: Personality


class WorkloadList(BaseModel):
    items: list[WorkloadDescription]


class SpecificationWrite(BaseModel):
    model_config = ConfigDict(extra="forbid")

    spec: Annotated[str, Field(max_length=64 * 1024)]
    fit_bytes: Annotated[int, Field(ge=1)] | None = Field(default=None, description="What its files may take")
