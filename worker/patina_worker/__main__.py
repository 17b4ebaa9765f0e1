"""The worker's process: Celery, in the foreground. Mingle, gossip and Celery's own heartbeat are off: one host runs one
worker, which may not publish to others."""

import gc
import logging
import sys


def main() -> None:
    """Runs the worker. The garbage collector is off during imports: it finds nothing and takes a fifth of the start."""
    gc.disable()  # until the worker begins (app.py)
    from patina_worker.app import app

    # Not through Celery's command line: it loads every command and takes a tenth longer to start.
    worker = app.Worker(loglevel=logging.INFO, without_mingle=True, without_gossip=True, without_heartbeat=True)
    worker.start()
    sys.exit(worker.exitcode)


if __name__ == "__main__":
    main()
