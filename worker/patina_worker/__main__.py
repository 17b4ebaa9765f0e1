"""The worker's process: Celery, in the foreground. One worker a host: there is no other to mingle or gossip with."""

import gc
import sys

ARGV = ["-A", "patina_worker.app", "worker", "--loglevel", "INFO", "--without-mingle", "--without-gossip"]


def main() -> None:
    """Modules are loaded without collections: a fifth of the start goes into them, and they find nothing."""
    gc.disable()  # until the worker begins (app.py)
    from celery.__main__ import main as celery

    sys.argv[1:] = ARGV
    celery()


if __name__ == "__main__":
    main()
