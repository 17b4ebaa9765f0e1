"""`python -m patina.serve PORT ADDRESS... [--private]`: serves the API on these addresses and one port; until the
server has an owner, on those of loopback only, unless they are private."""

import asyncio
import gc
import resource
import socket
import sys
from ipaddress import ip_address
from typing import TYPE_CHECKING

import structlog
import uvicorn
from sqlalchemy.exc import SQLAlchemyError

from patina.http.patient_protocol import PatientProtocol

if TYPE_CHECKING:
    from fastapi import FastAPI

GRACE_S = 3  # an open event stream would otherwise delay the shutdown forever
BACKLOG = 2048
MOST_FILES_COUNT = 65_536  # each connection takes one
OWNER_POLL_S = 1.0
PRIVATE = "--private"

log = structlog.get_logger()


class _Server(uvicorn.Server):
    """Listens on some sockets at once, and on others once the server has an owner."""

    def __init__(self, config: uvicorn.Config, later: list[socket.socket]) -> None:
        super().__init__(config)
        self._later = later
        self._opening: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self._later:
            return
        if await asyncio.to_thread(_is_owned):
            await self._open()
        else:
            self._opening = asyncio.create_task(self._open_once_owned(), name="open-once-owned")

    async def _open_once_owned(self) -> None:
        while not await asyncio.to_thread(_is_owned):
            await asyncio.sleep(OWNER_POLL_S)
        await self._open()

    async def _open(self) -> None:
        for bound in self._later:
            listening = await asyncio.get_running_loop().create_server(self._protocol, sock=bound, backlog=BACKLOG)
            self.servers.append(listening)
            log.info("listens", address=bound.getsockname()[0])

    def _protocol(self) -> PatientProtocol:
        return PatientProtocol(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)


def _is_owned() -> bool:
    from patina.account.service import has_owner
    from patina.db import transaction

    try:
        with transaction() as session:
            return has_owner(session=session)
    except SQLAlchemyError as error:
        log.warning("cannot read whether there is an owner", error=str(error))
        return False


def _bound(address: str, port: int) -> socket.socket:
    """Returns a socket that has the address, and does not listen yet."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.set_inheritable(True)
    return listener


def _is_loopback(address: str) -> bool:
    return address == "localhost" or ip_address(address).is_loopback


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
    port, *addresses = sys.argv[1:]
    is_private = addresses[-1:] == [PRIVATE]  # who starts it publishes the addresses on loopback only
    at_once = [address for address in addresses if address != PRIVATE and (is_private or _is_loopback(address))]
    later = [address for address in addresses if address != PRIVATE and address not in at_once]
    listening = [_bound(address, int(port)) for address in at_once]
    for listener in listening:
        listener.listen(BACKLOG)  # connections wait while the application is built
    config = uvicorn.Config(
        _app,
        factory=True,
        port=int(port),
        timeout_graceful_shutdown=GRACE_S,
        access_log=False,
        http=PatientProtocol,
        ws="none",
        proxy_headers=False,  # a client's address is that of its connection
    )
    _Server(config, [_bound(address, int(port)) for address in later]).run(sockets=listening)


if __name__ == "__main__":
    main()
