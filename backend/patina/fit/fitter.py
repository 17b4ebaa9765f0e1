"""Client of the fitter's process: starts it on first use and after its end, ends it when an answer takes too long."""

import json
import os
import sys
import threading
from typing import Any

from patina.errors import PatinaError
from patina.lasting_process import LastingProcess, ProcessEnded, ProcessSilent

START_PATIENCE_S = 20.0
ANSWER_PATIENCE_S = 3.0
QUEUE_PATIENCE_S = 10.0

FitImpossible = PatinaError.of("fit_impossible", "No such distribution fits", status=422)
FitterUnavailable = PatinaError.of("fitter_unavailable", "The fitter does not answer", status=503)


class Fitter:
    """One process for all callers, one request at a time."""

    def __init__(self, argv: list[str] | None = None) -> None:
        self._argv = argv or [sys.executable, "-m", "patina.fit"]
        self._process: LastingProcess | None = None
        self._lock = threading.Lock()

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Returns the answer. Raises FitImpossible, also after a timeout; FitterUnavailable."""
        if not self._lock.acquire(timeout=QUEUE_PATIENCE_S):
            raise FitterUnavailable("Too many fits are being computed. Try again in a moment.")
        try:
            answer = self._answer(json.dumps(question).encode())
        except ProcessSilent as error:
            raise FitImpossible(
                f"The fit took longer than {ANSWER_PATIENCE_S:g} s. Fit fewer bins, or set the parameters."
            ) from error
        except ProcessEnded as error:
            raise FitterUnavailable(f"The fitter {error}. Try again.") from error
        finally:
            self._lock.release()
        if "impossible" in answer:
            raise FitImpossible(f"No fit: {answer['impossible']}.")
        return answer

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            if self._process is not None:
                self._process.close()
                self._process = None

    def _answer(self, line: bytes) -> dict[str, Any]:
        process, self._process = self._process, None
        if process is not None:
            try:
                return self._asked(process, line)
            except ProcessSilent:
                raise
            except ProcessEnded:
                pass  # it ends by itself after a long idle time
        return self._asked(self._started(), line)

    def _asked(self, process: LastingProcess, line: bytes) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads(process.ask(line, patience_s=ANSWER_PATIENCE_S))
        except ValueError as error:
            process.close()
            raise ProcessEnded("sent an invalid answer") from error
        self._process = process
        return answer

    def _started(self) -> LastingProcess:
        # One thread: the matrices are small, and other work needs the cores.
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        try:
            return LastingProcess(self._argv, patience_s=START_PATIENCE_S, environment=environment)
        except ProcessEnded as error:
            raise FitterUnavailable(f"The fitter {error}. Is SciPy installed?") from error
