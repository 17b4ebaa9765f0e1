"""`python -m patina_stack.serve PORT ADDRESS...`: the API on these addresses, one port."""

import socket
import sys

import uvicorn

GRACE_S = 3  # an open stream of events would otherwise hold the shutdown up for ever
BACKLOG = 2048


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
        "patina.main:build_lasting_app",
        factory=True,
        port=port,
        timeout_graceful_shutdown=GRACE_S,
        access_log=False,
    )
    uvicorn.Server(config).run(sockets=[_listening(address, port) for address in addresses])


if __name__ == "__main__":
    main()
