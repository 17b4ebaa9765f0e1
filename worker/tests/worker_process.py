"""A real worker process, as the launcher starts it."""

import os
import signal
import subprocess
from pathlib import Path

from patina_stack.testing_wait import HANG_S, wait_until
from patina_worker.command import worker_command

TASKS_AT_ONCE = 2


class WorkerProcess:
    """A real worker, as the launcher starts it."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._log_bytes = 0  # before the start
        self.environment = {**os.environ, "PATINA_TASKS_AT_ONCE": str(TASKS_AT_ONCE)}

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._log_bytes = log.tell()
            self._process = subprocess.Popen(
                worker_command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                start_new_session=True,
            )

    def wait_until_ready(self) -> None:
        """It takes tasks from now on."""
        assert self._process is not None
        process = self._process

        def _is_ready() -> bool:
            assert process.poll() is None, self.log()[-3000:]
            return b"ready." in self._log.read_bytes()[self._log_bytes :]

        wait_until("the worker is ready", _is_ready)

    def end(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(timeout=HANG_S)

    def wait(self) -> int:
        assert self._process is not None
        return self._process.wait(timeout=HANG_S)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def group(self) -> list[int]:
        """The ids of its process and of all that it has forked."""
        assert self._process is not None
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                fields = (process / "stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
            except OSError:
                continue
            if int(fields[2]) == self._process.pid and fields[0] != "Z":
                found.append(int(process.name))
        return found

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")
