"""The API as a process of its own, for tests that kill it, cut it off, or fetch from it with foreign programs."""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from patina_stack.application import PROJECT_DIR
from patina_stack.services import free_port

PATIENCE_S = 60


class ApiProcess:
    """To be started, stopped and started again, on one port."""

    def __init__(self, log: Path | None = None) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        self._log = log

    def start(self) -> None:
        """It answers when this returns."""
        argv = [sys.executable, "-m", "patina_stack.serve", str(self.port), "127.0.0.1"]
        with (self._log or Path(os.devnull)).open("ab") as log:
            self.process = subprocess.Popen(argv, cwd=PROJECT_DIR, stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.url}/healthz", timeout=2).close()
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
            else:
                return
        raise AssertionError("the API did not start")

    def stop(self) -> float:
        """How many seconds it took to end."""
        assert self.process is not None
        started = time.monotonic()
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        return time.monotonic() - started

    def close(self) -> None:
        """End it, whatever the test did with it."""
        if self.process is not None and self.process.poll() is None:
            self.stop()

    def log(self) -> str:
        """What it wrote so far."""
        assert self._log is not None
        return self._log.read_text(encoding="utf-8")
