"""Schemas common to jobs of all kinds. Each kind adds its own."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from patina.account.schemas import SharedRead
from patina.host.schemas import HostMark
from patina.job.state import JobState, NoticeKind


class JobRead(SharedRead):
    model_config = ConfigDict(from_attributes=True)

    id: int
    kind: str = Field(description="run, restore, scan, …")
    host: HostMark
    state: JobState
    is_waiting: bool = Field(description="Queued behind the job that holds the device")
    attempt: int = Field(description="How often a worker has begun it")
    is_automatic: bool = Field(description="Started by Patina, not by a user")
    stop_requested_at: datetime | None
    phase: str | None = Field(description="One of its kind's phases")
    message: str = Field(description="Its current work, or how it ended")
    done: float = Field(description="Of the phase")
    total: float | None = Field(description="null: unknown")
    unit: str = Field(description="Unit of done and total: bytes, files; empty: a fraction")
    eta_s: float | None
    error_code: str | None
    error_log: str | None = Field(description="The tail of the failed program's output")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class NoticeRead(BaseModel):
    """The latest notice of a job."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    job_id: int
    kind: NoticeKind = Field(description="How it ended; needs_you: it goes on only after an act of a user")
    message: str
    at: datetime


class NoticeList(BaseModel):
    items: list[NoticeRead]
