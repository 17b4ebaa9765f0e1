"""The worker's process: Celery, in the foreground. One worker a host: there is no other to mingle or gossip with."""

import gc
import logging
import sys


def main() -> None:
    """Modules are loaded without collections: a fifth of the start goes into them, and they find nothing."""
    gc.disable()  # until the worker begins (app.py)
    from patina_worker.app import app

    # Not by Celery's command line: that loads every command there is, and starts in a tenth more time.
    worker = app.Worker(loglevel=logging.INFO, without_mingle=True, without_gossip=True)
    worker.start()
    sys.exit(worker.exitcode)


if __name__ == "__main__":
    main()
