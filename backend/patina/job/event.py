"""Events that jobs of every kind have. What else a kind reports, it stores in records of its own."""

from typing import Annotated, Literal

from pydantic import Field

from patina.core.record import EventModel
from patina.job.state import JobState


class StateChange(EventModel):
    """The job moved. Written in the transaction of the move."""

    type: Literal["state"]
    state: JobState
    phase: str | None
    message: str


class Step(EventModel):
    """The worker did one thing to the host; prose for the job's log."""

    type: Literal["step"]
    message: str


class JobProgress(EventModel):
    """How much of the phase is done. Only the latest of a phase is kept."""

    type: Literal["progress"]
    done: Annotated[float, Field(ge=0)]
    total: Annotated[float, Field(ge=0)] | None = Field(description="null: not known")
    unit: str = Field(description='Of both: "bytes", "files"; empty: a fraction')
