"""`python -m patina.serve PORT ADDRESS...`: serves the API on these addresses and one port."""

import gc
import resource
import socket
import sys
from typing import TYPE_CHECKING

import uvicorn

from patina.http.patient_protocol import PatientProtocol

if TYPE_CHECKING:
    from fastapi import FastAPI

GRACE_S = 3  # an open event stream would otherwise delay the shutdown forever
BACKLOG = 2048
MOST_FILES_COUNT = 65_536  # each connection takes one


def _listening(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen(BACKLOG)
    listener.set_inheritable(True)
    return listener


def _app() -> "FastAPI":
    """Builds the application, without garbage collection: it would find nothing, and take a sixth of the start."""
    gc.disable()
    from patina.main import build_lasting_app

    app = build_lasting_app()
    gc.enable()
    return app


def main() -> None:
    """Serves until SIGTERM."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, MOST_FILES_COUNT)), hard))
    port, addresses = int(sys.argv[1]), sys.argv[2:]
    config = uvicorn.Config(
        _app,
        factory=True,
        port=port,
        timeout_graceful_shutdown=GRACE_S,
        access_log=False,
        http=PatientProtocol,
        ws="none",
        proxy_headers=False,  # a client's address is that of its connection
    )
    uvicorn.Server(config).run(sockets=[_listening(address, port) for address in addresses])


if __name__ == "__main__":
    main()
