"""The API as a process of its own, for tests that kill or disconnect it, or fetch from it with foreign programs."""

import os
import sys
import urllib.request
from pathlib import Path

from patina_dev.testing.forked import ForkedProcess, template
from patina_dev.testing.wait import HANG_S, wait_until
from patina_stack.services import free_port


class ApiProcess:
    """An API that can be started and stopped repeatedly, on one port."""

    def __init__(self, log: Path | None = None) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: ForkedProcess | None = None
        self._log = log

    def start(self) -> None:
        """Starts it and waits until it answers."""
        argv = [sys.executable, "-m", "patina.serve", str(self.port), "127.0.0.1"]
        self.process = template().fork(argv, environment=os.environ, log=self._log or Path(os.devnull))
        wait_until("the API answers", self._answers)

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, "the API ended at once"
        try:
            urllib.request.urlopen(f"{self.url}/healthz", timeout=HANG_S).close()
        except OSError:
            return False
        return True

    def stop(self) -> None:
        """Stops it and waits until it has ended."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(HANG_S)

    def close(self) -> None:
        """Ends it, if it still runs."""
        if self.process is not None and self.process.poll() is None:
            self.stop()

    def log(self) -> str:
        """Returns its log so far."""
        assert self._log is not None
        return self._log.read_text(encoding="utf-8")
