"""The application on a port of its own, in a thread of the test's process.

It needs no process start, and a test can inspect it and hold it at a gate.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from patina.http.patient_protocol import PatientProtocol


class ServedApp:
    """A served application. It takes connections at once: they wait until the application has started."""

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
        """Returns the number of the server's connections."""
        return len(self._server.server_state.connections)

    def close(self) -> None:
        """Ends it, and cuts open connections."""
        self._server.should_exit = True
        self._thread.join()


@contextmanager
def served(app: FastAPI) -> Iterator[ServedApp]:
    """Serves the application while the context lasts."""
    server = ServedApp(app)
    try:
        yield server
    finally:
        server.close()
