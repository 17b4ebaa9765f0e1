"""Events common to jobs of all kinds. A kind's further events are its own records."""

from typing import Annotated, Literal

from pydantic import Field

from patina.core.record import EventModel
from patina.job.state import JobState


class StateChange(EventModel):
    """A move of the job, written in the same transaction."""

    type: Literal["state"]
    state: JobState
    phase: str | None
    message: str


class Step(EventModel):
    """A step of the worker; text for the job's log."""

    type: Literal["step"]
    message: str


class JobProgress(EventModel):
    """Progress of the phase. Only the latest of a phase is stored."""

    type: Literal["progress"]
    done: Annotated[float, Field(ge=0)]
    total: Annotated[float, Field(ge=0)] | None = Field(description="null: unknown")
    unit: str = Field(description='Unit of done and total: "bytes", "files"; empty: a fraction')
