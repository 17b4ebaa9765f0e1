"""The application on a port of its own, in a thread of the test's process.

It costs no process start, and a test can look into it and hold it at a gate.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from patina.http.patient_protocol import PatientProtocol


class ServedApp:
    """Takes connections from the beginning: they wait until the application has started."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
        self.port = int(listener.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        config = uvicorn.Config(
            app,
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=1,
            http=PatientProtocol,
            ws="none",
            proxy_headers=False,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="served-app")
        self._thread.start()

    @property
    def connections_count(self) -> int:
        """How many connections the server has."""
        return len(self._server.server_state.connections)

    def close(self) -> None:
        """End it. Connections that are still open are cut."""
        self._server.should_exit = True
        self._thread.join()


@contextmanager
def served(app: FastAPI) -> Iterator[ServedApp]:
    """The application while the block runs."""
    server = ServedApp(app)
    try:
        yield server
    finally:
        server.close()
