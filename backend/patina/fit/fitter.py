"""Asks the fitter's process: started when it is first needed, again when it has ended, ended when it takes too long."""

import json
import os
import select
import subprocess
import sys
import threading
import time
from typing import Any

import structlog

from patina.errors import PatinaError

START_PATIENCE_S = 20.0
ANSWER_PATIENCE_S = 3.0
QUEUE_PATIENCE_S = 10.0
MAX_ANSWER_BYTES = 2**20

log = structlog.get_logger()


FitImpossible = PatinaError.of("fit_impossible", "No such distribution fits", status=422)
FitterUnavailable = PatinaError.of("fitter_unavailable", "The fitting does not answer", status=503)


class Fitter:
    """One process for all who ask, one after the other."""

    def __init__(self, argv: list[str] | None = None) -> None:
        self._argv = argv or [sys.executable, "-m", "patina.fit"]
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer. FitImpossible, also when it takes too long; FitterUnavailable."""
        if not self._lock.acquire(timeout=QUEUE_PATIENCE_S):
            raise FitterUnavailable("Too many fits are being computed. Try again in a moment.")
        try:
            return self._ask(question)
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = self._answer(question)
        except (OSError, ValueError) as error:
            # It may just have ended, since nobody had asked it for long: once more, of a new one.
            log.info("fitter ended", reason=str(error))
            self._end()
            answer = self._answer_or_end(question)
        if "impossible" in answer:
            raise FitImpossible(f"No fit: {answer['impossible']}.")
        return answer

    def _answer_or_end(self, question: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._answer(question)
        except (OSError, ValueError) as error:
            self._end()
            raise FitterUnavailable(f"The process that fits has ended: {error}. Try again.") from error

    def _answer(self, question: dict[str, Any]) -> dict[str, Any]:
        process = self._started()
        assert process.stdin is not None
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        try:
            return self._line(process, ANSWER_PATIENCE_S)
        except TimeoutError as error:
            self._end()
            raise FitImpossible(
                f"The fit took longer than {ANSWER_PATIENCE_S:g} s. Fit fewer bins, or set the parameters."
            ) from error

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        # One thread: the matrices are small, and the cores belong to others.
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        try:
            process = subprocess.Popen(
                self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
            )
            self._process = process
            self._line(process, START_PATIENCE_S)
        except (OSError, ValueError) as error:
            self._end()
            raise FitterUnavailable(f"The process that fits does not start: {error}. Is SciPy installed?") from error
        log.info("fitter started", pid=process.pid)
        return process

    def _line(self, process: subprocess.Popen[bytes], patience_s: float) -> dict[str, Any]:
        """One line of its output. TimeoutError, which is an OSError; ValueError when it is none."""
        assert process.stdout is not None
        descriptor = process.stdout.fileno()
        deadline = time.monotonic() + patience_s
        line = b""
        while not line.endswith(b"\n"):
            left_s = deadline - time.monotonic()
            if left_s <= 0 or not select.select([descriptor], [], [], left_s)[0]:
                raise TimeoutError(f"no answer within {patience_s:g} s")
            piece = os.read(descriptor, 65536)
            if not piece or len(line) > MAX_ANSWER_BYTES:
                raise ValueError("it said nothing")
            line += piece
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                log.info("fitter ended with a question unread", pid=self._process.pid)
        self._process = None
