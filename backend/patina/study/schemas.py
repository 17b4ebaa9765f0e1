"""Schemas of studies."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from patina.account.models import Visibility
from patina.account.schemas import Sharing
from patina.core.contract.shingle import Cleaner, Placement, ShingledInterface
from patina.http.page import Page
from patina.job.schemas import JobRead
from patina.job.state import JobState
from patina.run.schemas import Note
from patina.study.settings import StudySettings

StudyName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)]


class StudyRequest(BaseModel):
    """A study to start."""

    model_config = ConfigDict(extra="forbid")

    settings: StudySettings
    host_name: Annotated[str | None, Field(max_length=200, description="Default: the only host")] = None
    name: StudyName = ""
    note: Note = ""
    sharing: Sharing | None = Field(default=None, description="Who sees it; null: everyone")


class StudyOutcome(BaseModel):
    """The study's end. What it found is in its results."""

    results_count: int


class StudyEstimate(BaseModel):
    """A mean over seeds."""

    mean: float
    half_width: float | None = Field(
        description="Half the width of Student's 95 % interval; null for fewer than two results"
    )


class PublishedFigures(BaseModel):
    """What was published of a cell: Singh, Carnegie Mellon, 2014, section 5.3."""

    model_config = ConfigDict(from_attributes=True)

    total_blocks: int
    unusable_blocks: int
    over_allocation_fraction: float
    unusable_fraction: float


class StudyCell(BaseModel):
    """One combination of the settings, with the results so far."""

    interface: ShingledInterface
    policy: Placement | Cleaner
    did_blocks: int
    fullness: float | None = Field(description="null: capacity")
    results_count: int = Field(description="Seeds so far")
    full_count: int | None = Field(description="Of them, those that ended with a file without a place; null: capacity")
    figures: dict[str, StudyEstimate] = Field(
        description="By name. Capacity: over_allocation_fraction (of the size of the files), unusable_fraction (of the "
        "disk), total_blocks, free_blocks, unusable_blocks, usable_blocks. Cleaning: moved_ratio (moved over written), "
        "written_ratio (written over size), cleanings_count. Empty without a result"
    )
    published: PublishedFigures | None = Field(description="null: nothing was published with these settings")


class StudyRead(JobRead):
    name: str
    note: str
    settings: StudySettings
    cells: list[StudyCell] = Field(description="In the order of the settings")
    done_count: int = Field(description="Results so far, of all")
    total_count: int
    resumes_left_count: int = Field(description="How often it may still go on by itself after an interruption")
    result: StudyOutcome | None


class StudyItem(BaseModel):
    """A study, in a list."""

    id: int
    name: str
    study_kind: Literal["capacity", "cleaning"]
    state: JobState
    message: str
    error_code: str | None
    cells_count: int
    done_count: int = Field(description="Results so far, of all")
    total_count: int
    visibility: Visibility
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class StudyPage(Page[StudyItem]):
    """Studies, newest first. `next_cursor` is null on the last page."""
