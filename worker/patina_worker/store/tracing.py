"""A trace that runs while something else writes to the device, and its delta."""

import secrets
import threading
from collections.abc import Callable

from patina.core.contract.delta import DELTA, TRACE, Armed, DeltaSummary, TraceRecord
from patina.core.failure import StepFailed
from patina.core.supervised import run_core
from patina.settings import settings

TICK_S = 0.1


class Tracing:
    """Records every write to the device from `begin`, which returns once it is armed, to `end`."""

    def __init__(self, path: str, *, size_bytes: int, generation: str, name: str, lock: int) -> None:
        folder = settings().delta_dir
        folder.mkdir(parents=True, exist_ok=True)
        token = f"{name}-{secrets.token_hex(4)}"
        self.delta_name = f"{token}.delta"
        self._delta = folder / self.delta_name
        self._trace = folder / f"{token}.trace"
        self._argv = ["--device", path, "--out", str(self._trace)]
        self._argv += ["--generation", generation] if generation else []
        self._size_bytes = size_bytes
        self._lock = lock
        self._must_end = threading.Event()
        self._settled = threading.Event()  # armed, or failed
        self._armed: Armed | None = None
        self._failure: StepFailed | None = None
        self._thread = threading.Thread(target=self._run, name=f"trace-{name}", daemon=True)

    def begin(self, check: Callable[[], bool]) -> Armed:
        """Arms the trace. Raises CoreFailed where the kernel cannot trace."""
        self._thread.start()
        while not self._settled.wait(TICK_S):
            if check():
                self._must_end.set()
        if self._armed is None:
            self._thread.join()
            self._trace.unlink(missing_ok=True)
            assert self._failure is not None
            raise self._failure
        return self._armed

    def _run(self) -> None:
        def _on_record(record: TraceRecord) -> None:
            if isinstance(record, Armed):
                self._armed = record
                self._settled.set()

        try:
            run_core(TRACE, self._argv, on_record=_on_record, check=self._must_end.is_set, inherit=(self._lock,))
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
