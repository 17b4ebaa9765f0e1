"""What a handler is. Those that there are stand in patina_worker/handlers/registry.py."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from patina_worker.jobs.log import JobLog
from patina_worker.jobs.outcome import Done


@dataclass(frozen=True)
class Handler:
    """Does the jobs of one kind. `handle` gets the request, the job's log, and a descriptor that programs it starts
    must inherit: it holds the device, or shows that the job is worked on. It raises JobCanceled or WorkerStopping when
    it stopped as it was asked, a PatinaError when it failed, and whatever it raises, it leaves nothing mounted."""

    handle: Callable[[BaseModel, JobLog, int], Done]
    # When the process of a job is gone: removes what it left on this host, and says so.
    clean_up: Callable[[int], str] = lambda _: "Interrupted: the worker died while it worked on it. Start it again."


HANDLERS: dict[str, Handler] = {}
