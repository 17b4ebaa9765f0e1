"""The command line of the worker's process, one for whoever starts it."""

import sys


def worker_command() -> list[str]:
    """Celery's, in the foreground. One worker a host: there is nobody to mingle or gossip with."""
    argv = [sys.executable, "-m", "celery", "-A", "patina_worker.app", "worker", "--loglevel", "INFO"]
    return [*argv, "--without-mingle", "--without-gossip"]
