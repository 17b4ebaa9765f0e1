"""The union of the events of all jobs. Needs nothing of the server: the command reads events too."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field, TypeAdapter

from patina.core.contract.age import AgeSummary, Checkpoint, Control, Layout, Sample, Space
from patina.core.contract.plan import Plan
from patina.core.contract.workload import WorkloadPlan
from patina.core.record import CoreError, EventModel
from patina.job.event import JobProgress, StateChange, Step

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
