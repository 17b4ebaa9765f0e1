"""A real worker process, started by the launcher's command."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from patina_dev.testing.forked import ForkedProcess, template
from patina_dev.testing.wait import HANG_S, wait_until
from patina_worker.command import worker_command

TASKS_AT_ONCE = 2


class WorkerProcess:
    """A real worker, forked from a process that has loaded its modules."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._process: ForkedProcess | subprocess.Popen[bytes] | None = None
        self._log_bytes = 0  # before the start
        self.module: str | None = None  # to execute as the worker, in place of a fork
        self.environment = {**os.environ, "PATINA_TASKS_AT_ONCE": str(TASKS_AT_ONCE)}

    def start(self) -> None:
        self._log_bytes = self._log.stat().st_size if self._log.exists() else 0
        self._process = self._fork() if self.module is None else self._execute(self.module)

    def _fork(self) -> ForkedProcess:
        return template().fork(worker_command(), environment=self.environment, log=self._log)

    def _execute(self, module: str) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", module], env=self.environment, stdout=log, stderr=log, start_new_session=True
            )

    def wait_until_ready(self) -> None:
        """Waits until it takes tasks."""
        assert self._process is not None
        process = self._process

        def _is_ready() -> bool:
            assert process.poll() is None, self.log()[-3000:]
            return b"ready." in self._log.read_bytes()[self._log_bytes :]

        wait_until("the worker is ready", _is_ready)

    def waits_for_a_lock(self) -> bool:
        """Returns whether it is blocked by the lock of a file (proc_locks(5))."""
        assert self._process is not None
        assert self._process.poll() is None, self.log()[-3000:]
        blocked = [
            line.split() for line in Path("/proc/locks").read_text(encoding="utf-8").splitlines() if "->" in line
        ]
        return str(self._process.pid) in {fields[5] for fields in blocked}

    def end(self, number: signal.Signals) -> None:
        """Signals it and waits for its end and for that of its children, which the kernel kills after it."""
        assert self._process is not None
        started = _started_by(self._process.pid)
        self._process.send_signal(number)
        self._process.wait(timeout=HANG_S)
        wait_until("what the worker had started is gone", lambda: not started & set(_processes()))

    def wait(self) -> int:
        assert self._process is not None
        return self._process.wait(timeout=HANG_S)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.end(signal.SIGKILL)

    def group(self) -> list[int]:
        """Returns the ids of its process and of all processes that it has forked."""
        assert self._process is not None
        return [process.pid for process in _processes() if process.group_pid == self._process.pid]

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""


@dataclass(frozen=True)
class _Process:
    """A process that is no zombie. Its start time distinguishes it from a later one with the same id."""

    pid: int
    parent_pid: int = field(compare=False)  # another, once the parent has ended
    group_pid: int = field(compare=False)
    started_ticks: int


def _processes() -> list[_Process]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(encoding="utf-8").rpartition(") ")[2].split()  # proc(5), from field 3
        except OSError:
            continue
        if fields[0] != "Z":
            found.append(_Process(int(folder.name), int(fields[1]), int(fields[2]), int(fields[19])))
    return found


def _started_by(pid: int) -> set[_Process]:
    """Returns its descendants."""
    processes = _processes()
    found: set[_Process] = set()
    parents = {pid}
    while parents:
        children = {process for process in processes if process.parent_pid in parents}
        found |= children
        parents = {child.pid for child in children}
    return found
