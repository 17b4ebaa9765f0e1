"""The interface of a handler. patina_worker/handlers/registry.py lists the handlers."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from patina_worker.jobs.log import JobLog
from patina_worker.jobs.outcome import Done


@dataclass(frozen=True)
class Handler:
    """Does the jobs of one kind. `handle` gets the request, the job's log, and a descriptor that its programs must
    inherit: the lock of the device, or of the job. It raises JobCanceled or WorkerStopping after a requested stop, a
    PatinaError when it failed. It leaves nothing mounted, on any exception."""

    handle: Callable[[BaseModel, JobLog, int], Done]
    # Called when the process of a job is gone: removes its remains on this host; returns the message.
    clean_up: Callable[[int], str] = lambda _: "Interrupted: the worker died while it worked on it. Start it again."


HANDLERS: dict[str, Handler] = {}
