"""The server's side of a connection: uvicorn's, and it waits for the head of a request only so long."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_S = 30.0


class PatientProtocol(HttpToolsProtocol):
    """Closes a connection on which a head has begun, or the first has not, and that is not complete after HEAD_S.

    uvicorn itself closes a connection between two requests only: one that sends a byte now and then, or none at all,
    stays open, and takes one of the process's descriptors.
    """

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        if self.timeout_keep_alive_task is not None:  # idle until now
            self._wait_for_head()
        super().data_received(data)

    def on_message_begin(self) -> None:
        self._wait_for_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_S, self._give_up)

    def _give_up(self) -> None:
        self._waiting = None
        if self.cycle is not None and not self.cycle.response_complete:
            self._wait_for_head()  # a second request was begun before the first was answered
        else:
            self.transport.close()

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
