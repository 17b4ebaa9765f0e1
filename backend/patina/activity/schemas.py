"""Schemas of all jobs: lists, and the union of their events."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field, TypeAdapter

from patina.core.contract.age import AgeSummary, Checkpoint, Control, Layout, Sample, Space
from patina.core.contract.plan import Plan
from patina.core.contract.workload import WorkloadPlan
from patina.core.record import CoreError, EventModel
from patina.host.schemas import HostMark
from patina.http.page import Page
from patina.job.event import JobProgress, StateChange, Step
from patina.job.state import JobState

JobPayload = Annotated[
    StateChange
    | Step
    | JobProgress
    | Plan
    | WorkloadPlan
    | Sample
    | Layout
    | Space
    | Checkpoint
    | Control
    | AgeSummary
    | CoreError,
    Field(discriminator="type"),
]


job_payload: TypeAdapter[JobPayload] = TypeAdapter(JobPayload)


class JobEvent(EventModel):
    """A stored event of a job. `sequence` rises from 1 within a job and is the SSE id; old samples are thinned out.

    A reader that has the event in `follows`, or a later one, has missed none.
    """

    job_id: int
    sequence: int
    follows: int = Field(description="Sequence of the stored event before this one; 0 for the first")
    at: datetime
    payload: JobPayload


class JobEventPage(BaseModel):
    """Events in order of sequence, after the requested one."""

    items: list[JobEvent]
    last_sequence: int = Field(description="The newest stored sequence of the job")


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
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class JobPage(Page[JobItem]):
    """Jobs, newest first. `next_cursor` is null on the last page."""
