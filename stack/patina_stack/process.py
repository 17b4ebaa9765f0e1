"""Long-running processes, identified by pid and start time: a pid alone may have been reused."""

import contextlib
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

KILL_PATIENCE_S = 60.0  # the kernel may be in the middle of a read that a disk does not answer


class ProcessFailed(Exception):
    """A part did not start; the message ends with the tail of its log."""


def _start_ticks(pid: int) -> int | None:
    """Returns the start time of the process, in clock ticks since boot; None without one, or for a zombie.

    A process whose first thread is a zombie keeps its files and ports until its other threads have ended as well.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        threads_count = len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return None
    return None if fields[0] in "ZX" and threads_count == 1 else int(fields[19])


@dataclass(frozen=True)
class Part:
    """One process of the stack: its pid file and its log lie in the run folder."""

    name: str
    run_dir: Path

    @property
    def log(self) -> Path:
        return self.run_dir / f"{self.name}.log"

    @property
    def _pid_file(self) -> Path:
        return self.run_dir / f"{self.name}.pid"

    def pid(self) -> int | None:
        """Returns its pid while it lives."""
        try:
            noted = json.loads(self._pid_file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        pid, ticks = noted["pid"], noted["start_ticks"]
        return pid if ticks is not None and _start_ticks(pid) == ticks else None

    def started_at(self) -> float:
        """Returns when it was started, in seconds since the epoch."""
        return self._pid_file.stat().st_mtime

    def start(self, argv: list[str], *, environment: dict[str, str], cwd: Path) -> None:
        """Starts it in a session of its own, detached from the terminal."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=cwd,
                start_new_session=True,
            )
        note = {"pid": process.pid, "start_ticks": _start_ticks(process.pid)}  # null: it has ended already
        self._pid_file.write_text(json.dumps(note), encoding="utf-8")

    def stop(self, stop_signal: signal.Signals, *, patience_s: float) -> bool:
        """Sends `stop_signal`, after `patience_s` SIGKILL. Returns whether it ran."""
        pid = self.pid()
        if pid is None:
            self._pid_file.unlink(missing_ok=True)
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, stop_signal)
        if not self._await_end(pid, patience_s):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            self._await_end(pid, KILL_PATIENCE_S)
        self._pid_file.unlink(missing_ok=True)
        return True

    def _await_end(self, pid: int, patience_s: float) -> bool:
        deadline = time.monotonic() + patience_s
        while self.pid() is not None and time.monotonic() < deadline:
            _reap(pid)
            time.sleep(0.02)
        return self.pid() is None

    def log_tail(self, lines_count: int = 15) -> str:
        """Returns the last lines of its log."""
        try:
            return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines_count:])
        except OSError:
            return ""

    def failed(self, what: str) -> ProcessFailed:
        """Returns the error, with the log's tail."""
        return ProcessFailed(f"{self.name} {what}. The end of {self.log}:\n{self.log_tail()}")


def _reap(pid: int) -> None:
    """Reaps the process if it is an ended child, so that no zombie is left."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
