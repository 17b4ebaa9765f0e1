"""The command line of the worker's process, one for all that start it."""

import sys


def worker_command() -> list[str]:
    """It ends when its process is told to."""
    return [sys.executable, "-m", "patina_worker"]
