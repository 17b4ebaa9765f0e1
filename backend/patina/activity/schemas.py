"""Schemas of lists of jobs."""

from datetime import datetime

from pydantic import BaseModel, Field

from patina.account.models import Visibility
from patina.host.schemas import HostMark
from patina.http.page import Page
from patina.job.state import JobState


class JobDevice(BaseModel):
    """The device of a job, in a list."""

    id: int
    stable_id: str
    path: str | None


class JobItem(BaseModel):
    """A job, in a list."""

    id: int
    kind: str
    host: HostMark
    device: JobDevice | None = Field(description="null for a kind without a device")
    request: dict[str, object] = Field(description="The request, in the schema of its kind")
    state: JobState
    waits_for: str | None = Field(description='Holder of the device it waits for: "run 42"; null: it waits for none')
    attempt: int
    is_automatic: bool
    is_retriable: bool = Field(description="Whether it can be queued again with the same request")
    stop_requested_at: datetime | None
    phase: str | None
    message: str
    done: float
    total: float | None
    unit: str
    eta_s: float | None
    error_code: str | None
    visibility: Visibility
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class JobPage(Page[JobItem]):
    """Jobs, newest first. `next_cursor` is null on the last page."""
