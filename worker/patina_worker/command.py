"""The command line that starts the worker's process."""

import sys


def worker_command() -> list[str]:
    """Returns the argv of the worker, which ends on SIGTERM."""
    return [sys.executable, "-m", "patina_worker"]
