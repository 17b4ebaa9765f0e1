"""Schemas of batches."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from patina.core.contract.workload import WorkloadName
from patina.http.page import Page
from patina.job.feed import JOBS_LIMIT
from patina.job.state import JobState
from patina.run.schemas import RunMember, RunRead, RunWishes
from patina.run.settings import SharedSettings


class BatchCreate(SharedSettings, RunWishes):
    """Settings, and the devices to age with them: at most as many as one page compares."""

    members: Annotated[list[RunMember], Field(min_length=2, max_length=JOBS_LIMIT)]


class BatchRead(BaseModel):
    id: int
    created_at: datetime
    runs: list[RunRead] = Field(description="In order of id")


class BatchRun(BaseModel):
    """A run of a batch, in a list."""

    id: int
    device_id: int
    device_path: str | None
    file_system: str
    state: JobState


class BatchLink(BaseModel):
    """A batch, in a list."""

    id: int
    created_at: datetime
    profile: str | None
    profile_title: str | None
    workload: WorkloadName | None = Field(description="null for a run with a profile")
    fullness: float | None
    seed: int
    runs: list[BatchRun]


class BatchPage(Page[BatchLink]):
    """Batches, newest first. `next_cursor` is null on the last page."""
