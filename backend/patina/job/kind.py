"""Kinds of jobs. A kind is one row here, made in the module of its request and result, and one handler in the
worker (patina_worker/handlers). All other code is common to all kinds."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import BaseModel
from sqlalchemy.orm import Session

from patina.host.models import Host
from patina.job.models import Job
from patina.job.state import JobState


@dataclass(frozen=True)
class Kind:
    """A kind as the API and the worker use it. Made once, at import."""

    name: str  # stored, and shown: "scan 12"
    request: type[BaseModel]
    result: type[BaseModel]
    model: type[Job] = Job  # a subclass with further columns; by default one without is made
    retries: frozenset[JobState] = field(default_factory=frozenset)  # states from which it can be tried again
    turn_of: Callable[[Job], str | None] = lambda _: None  # names the work that only one job at a time may do
    keeps_turn: bool = False  # an interrupted job still holds its turn
    resumes: bool = False  # an interrupted job goes on by itself while it has resumes left
    # Whether a job that waits for a free device may begin: what it needs beside the device is there.
    may_begin: Callable[[Session, Job], bool] = lambda _session, _job: True

    def __post_init__(self) -> None:
        if self.name in KINDS:
            raise ValueError(f"Two kinds of jobs are called {self.name}.")
        if self.model is Job:
            object.__setattr__(self, "model", type(f"{self.name.title()}Job", (Job,), {}, kind=self.name))
        KINDS[self.name] = self

    def make(self, *, host: Host, request: BaseModel, state: JobState = JobState.QUEUED, **values: object) -> Job:
        """Returns a new job of the kind, not yet stored."""
        document = request.model_dump(mode="json", exclude={"confirmation"})
        return self.model(host=host, request=document, state=state, **values)


KINDS: dict[str, Kind] = {}


def kind_of(job: Job) -> Kind:
    """Returns the kind of a job."""
    return KINDS[job.kind]
