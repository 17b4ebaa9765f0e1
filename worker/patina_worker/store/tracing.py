"""A trace that runs while something else writes to the device, and its delta."""

import secrets
import threading
from collections.abc import Callable

from patina.core.contract.delta import DELTA, TRACE, Armed, DeltaSummary, TraceRecord, TraceSummary
from patina.core.failure import StepFailed, Stopped
from patina.core.supervised import run_core
from patina.settings import settings

TICK_S = 0.1


def file_stem(job_id: int) -> str:
    """Returns a new name for the trace and the delta of a job: the collection keeps them while that is open."""
    return f"job-{job_id}-{secrets.token_hex(4)}"


class Tracing:
    """Records every write to the device from `begin`, which returns once it is armed, to `end`."""

    def __init__(self, path: str, *, size_bytes: int, generation: str, job_id: int, lock: int) -> None:
        folder = settings().delta_dir
        folder.mkdir(parents=True, exist_ok=True)
        stem = file_stem(job_id)
        self.delta_name = f"{stem}.delta"
        self._delta = folder / self.delta_name
        self._trace = folder / f"{stem}.trace"
        self._argv = ["--device", path, "--out", str(self._trace)]
        self._argv += ["--generation", generation] if generation else []
        self._size_bytes = size_bytes
        self._lock = lock
        self._must_end = threading.Event()
        self._settled = threading.Event()  # armed, or failed
        self._armed: Armed | None = None
        self.summary: TraceSummary | None = None  # once it has ended
        self._failure: StepFailed | None = None
        self._thread = threading.Thread(target=self._run, name=f"trace-{job_id}", daemon=True)

    def begin(self, check: Callable[[], bool]) -> Armed:
        """Arms the trace. Raises Stopped if `check` requests a stop meanwhile, CoreFailed if the kernel cannot trace;
        the device is free then, and nothing is left of the trace."""
        self._thread.start()
        try:
            return self._await(check)
        except BaseException:
            # At its end the core opens the device exclusively: nothing may be mounted before.
            self._must_end.set()
            self._thread.join()
            self._trace.unlink(missing_ok=True)
            raise

    def _await(self, check: Callable[[], bool]) -> Armed:
        while not self._settled.wait(TICK_S):
            if check():
                raise Stopped("The trace was stopped before it was armed.")
        if self._armed is None:
            assert self._failure is not None
            raise self._failure
        return self._armed

    def _run(self) -> None:
        def _on_record(record: TraceRecord) -> None:
            if isinstance(record, Armed):
                self._armed = record
                self._settled.set()

        try:
            self.summary = run_core(
                TRACE, self._argv, on_record=_on_record, check=self._must_end.is_set, inherit=(self._lock,)
            )
        except StepFailed as error:
            self._failure = error
        finally:
            self._settled.set()

    def end(self, check: Callable[[], bool]) -> DeltaSummary | None:
        """Ends the trace and returns its delta; None where there is none, so that any block may have been written."""
        self._must_end.set()
        self._thread.join()
        if not self._trace.exists():
            return None
        argv = ["--trace", str(self._trace), "--device-size", str(self._size_bytes), "--out", str(self._delta)]
        try:
            return run_core(DELTA, argv, check=check, inherit=(self._lock,))
        except StepFailed:
            return None
        finally:
            self._trace.unlink(missing_ok=True)
