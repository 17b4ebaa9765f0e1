"""A pool of lasting patina-core processes: requests for forecasts need no process start."""

import json
import os
import threading

from patina.errors import PatinaError
from patina.lasting_process import LastingProcess, ProcessEnded
from patina.settings import settings

TIMEOUT_S = 10.0
MAX_IDLE_COUNT = 4

CoreUnavailable = PatinaError.of("core_unavailable", "The native core does not answer", status=503)

_idle: list[LastingProcess] = []
_lock = threading.Lock()


def ask(request: dict[str, object]) -> bytes:
    """Returns the answer to `request` (native/src/age/forecasts.h). Raises CoreUnavailable."""
    line = json.dumps(request, allow_nan=False).encode()
    try:
        process = _take()
        if process is not None:
            try:
                return _answer(process, line)
            except ProcessEnded:
                pass  # it may have ended while idle
        return _answer(LastingProcess([str(settings().core), "forecasts"], patience_s=TIMEOUT_S), line)
    except ProcessEnded as error:
        raise CoreUnavailable(f"patina-core {error}. Build it with `make native`.") from error


def _answer(process: LastingProcess, line: bytes) -> bytes:
    answer = process.ask(line, patience_s=TIMEOUT_S)
    with _lock:
        kept = len(_idle) < MAX_IDLE_COUNT
        if kept:
            _idle.append(process)
    if not kept:
        process.close()
    return answer


def _take() -> LastingProcess | None:
    """Takes an idle process of this program, started by this process."""
    with _lock:
        program = str(settings().core)
        mine = [p for p in _idle if p.started_by == os.getpid() and p.argv[0] == program]
        if not mine:
            return None
        _idle.remove(mine[-1])
        return mine[-1]


def close() -> None:
    """Ends the idle processes."""
    with _lock:
        ended, _idle[:] = list(_idle), []
    for process in ended:
        process.close()
