"""Failures of a started program: a code, and the tail of its standard error."""

from patina.errors import PatinaError

LOG_TAIL_CHARS = 8_000


class StepFailed(PatinaError):
    """A step of a job failed. The job's row and the interface show `code`; `log` is the program's output."""

    status = 500
    title = "A step of the job failed"

    def __init__(self, message: str, *, log: str = "") -> None:
        super().__init__(message)
        self.log = log[-LOG_TAIL_CHARS:]


class CoreDied(StepFailed):
    code = "core_died"
    title = "patina-core ended without a result"


class CoreKilled(CoreDied):
    """Killed by another process: SIGKILL comes from outside, as from the kernel when memory runs out."""


CoreProtocol = StepFailed.of("core_protocol", "patina-core violated the contract of its records")
CoreStalled = StepFailed.of("core_stalled", "patina-core stopped responding")


class CoreFailed(StepFailed):
    """The core's error, under the core's code."""

    def __init__(self, code: str, message: str, *, log: str = "") -> None:
        super().__init__(message, log=log)
        self.code = code


# Stopped on request of the user or of the stopping worker.
Stopped = StepFailed.of("canceled", "Stopped")
