"""Kinds of jobs. A kind is one row here, made where its request and its result are defined, and one handler in the
worker (patina_worker/handlers). Everything else is the same for all of them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import BaseModel

from patina.host.models import Host
from patina.job.models import Job
from patina.job.state import JobState


@dataclass(frozen=True)
class Kind:
    """What the API and the worker know of a kind. Made once, while modules are imported."""

    name: str  # stored, and said: "scan 12"
    request: type[BaseModel]
    result: type[BaseModel]
    model: type[Job] = Job  # with columns of its own; without, one is made that has none
    retries: frozenset[JobState] = field(default_factory=frozenset)  # from which it can be started again, as it was
    turn_of: Callable[[Job], str | None] = lambda _: None  # what only one job at a time may do
    keeps_turn: bool = False  # an interrupted job keeps others from its turn

    def __post_init__(self) -> None:
        if self.name in KINDS:
            raise ValueError(f"Two kinds of jobs are called {self.name}.")
        if self.model is Job:
            object.__setattr__(self, "model", type(f"{self.name.title()}Job", (Job,), {}, kind=self.name))
        KINDS[self.name] = self

    def make(self, *, host: Host, request: BaseModel, state: JobState = JobState.QUEUED, **values: object) -> Job:
        """A new job of the kind, not yet stored."""
        document = request.model_dump(mode="json", exclude={"confirmation"})
        return self.model(host=host, request=document, state=state, **values)


KINDS: dict[str, Kind] = {}


def kind_of(job: Job) -> Kind:
    """The kind of a job."""
    return KINDS[job.kind]
