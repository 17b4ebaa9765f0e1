"""How a program that was started ends badly: with a code, and the tail of what it wrote to standard error."""

from patina.errors import PatinaError

LOG_TAIL_CHARS = 8_000


class StepFailed(PatinaError):
    """A step of a job failed. `code` is what the job's row and the interface carry, `log` what the program said."""

    status = 500
    title = "A step of the job failed"

    def __init__(self, message: str, *, log: str = "") -> None:
        super().__init__(message)
        self.log = log[-LOG_TAIL_CHARS:]


class CoreDied(StepFailed):
    code = "core_died"
    title = "patina-core ended without a result"


class CoreKilled(CoreDied):
    """Nothing that the core did: SIGKILL comes from outside, as the kernel sends it where memory runs out."""


CoreProtocol = StepFailed.of("core_protocol", "patina-core said something that the contract does not know")
CoreStalled = StepFailed.of("core_stalled", "patina-core fell silent")


class CoreFailed(StepFailed):
    """The core's own error, under the core's own code."""

    def __init__(self, code: str, message: str, *, log: str = "") -> None:
        super().__init__(message, log=log)
        self.code = code


# Told to stop, by the user or the worker's end, and did.
Stopped = StepFailed.of("canceled", "Stopped")
