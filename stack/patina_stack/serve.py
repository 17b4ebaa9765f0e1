"""`python -m patina_stack.serve PORT ADDRESS...`: the API on these addresses, one port.

PATINA_API_PROCESSES: 1. Further ones take requests from the same sockets, and tell each other what they must by the
database and Redis.
"""

import ctypes
import multiprocessing
import os
import signal
import socket
import sys

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

GRACE_S = 3  # an open stream of events would otherwise hold the shutdown up for ever
BACKLOG = 2048
_PR_SET_PDEATHSIG = 1


def build_app() -> FastAPI:
    """The application. One of several processes ends with the one that made it: no orphan keeps the port."""
    from patina.main import build_app as build

    if multiprocessing.parent_process() is not None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    return build()


def _listening(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen(BACKLOG)
    listener.set_inheritable(True)
    return listener


def main() -> None:
    """Until it is told to end."""
    port, addresses = int(sys.argv[1]), sys.argv[2:]
    config = uvicorn.Config(
        "patina_stack.serve:build_app",
        factory=True,
        port=port,
        workers=int(os.environ.get("PATINA_API_PROCESSES", "1")),
        timeout_graceful_shutdown=GRACE_S,
        access_log=False,
    )
    sockets = [_listening(address, port) for address in addresses]
    if config.workers == 1:
        uvicorn.Server(config).run(sockets=sockets)
    else:
        Multiprocess(config, sockets).run()


if __name__ == "__main__":
    main()
