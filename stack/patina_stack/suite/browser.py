"""The application that the browser tests look at: private, on a port of its own, gone when the tests end."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from patina_stack.application import PROJECT_DIR, Application
from patina_stack.joined import Network
from patina_stack.services import free_port
from patina_stack.suite.place import Place


@contextmanager
def application(place: Place) -> Iterator[dict[str, str]]:
    """Start it, and give what the tests are told of it."""
    state_dir = place.temporary / "browser"
    state_dir.mkdir(mode=0o755)
    network = Network()
    chosen = {
        "PATINA_STATE_DIR": str(state_dir),
        # Its own, and not the usual one, that another application could take while the tests restart this one.
        "PATINA_PORT": str(free_port()),
        "PATINA_SCAN_FOLDERS": str(PROJECT_DIR / "docs"),
        "PATINA_WEBHOOK_PRIVATE_ADDRESSES": "127.0.0.0/8",  # the receivers of the tests
    }
    if os.geteuid() == 0:  # a host joins in these tests, and comes by a bridge
        network.open()
        chosen["PATINA_LISTEN"] = network.address
    else:  # it cannot; a token is only made where others are told a way to the services
        chosen["PATINA_ADVERTISED_DATABASE_URL"] = "postgresql+psycopg://patina@services.example/patina"
        chosen["PATINA_ADVERTISED_REDIS_URL"] = "redis://services.example/0"
    os.environ.update(chosen)
    started = Application(state_dir=state_dir)
    try:
        started.start()
        yield chosen | {"PATINA_URL": started.url, "PATINA_STACK_CMD": f"{sys.executable} -m patina_stack"}
    finally:
        started.stop()
        network.close()
