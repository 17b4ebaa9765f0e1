"""uvicorn's HTTP protocol with limits on time and size, which uvicorn lacks."""

import asyncio
import fcntl
import socket
import struct
import termios
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from patina.http.answer_headers import HEADERS

HEAD_S = 30.0
HEAD_BYTES = 2**16
PIPELINED_S = 5.0
LINGER_S = 30.0
UNREAD_S = 120.0  # of a client that reads nothing
RATE_S, RATE_BYTES = 120.0, 2**15  # of a client that reads slowly


class PatientProtocol(HttpToolsProtocol):
    """Closes a connection

    - whose request head is incomplete HEAD_S after its begin, or after HEAD_BYTES; also without any first head,
    - that sends more than HEAD_BYTES between two pieces of a body, or after the last,
    - that sends a request while an earlier one stays unanswered for PIPELINED_S,
    - that still sends a body LINGER_S after the response,
    - whose client reads nothing for UNREAD_S, or less than RATE_BYTES of the pending output in RATE_S.

    uvicorn closes only connections that are idle between requests: each of these would stay open as long as its client
    wants, with a descriptor and memory of the process.
    """

    _waiting: asyncio.TimerHandle | None = None
    _lingering: asyncio.TimerHandle | None = None
    _draining: asyncio.TimerHandle | None = None
    _framing_bytes = 0
    _body_bytes = 0
    _is_head_open = False
    _is_body_complete = True
    _unanswered: list[RequestResponseCycle]

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        connection = transport.get_extra_info("socket")
        if connection.family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(UNREAD_S * 1000))
        self._unanswered = []
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        if self.timeout_keep_alive_task is not None:  # idle until now
            self._wait_for_head()
        self._body_bytes = 0
        super().data_received(data)
        self._framing_bytes += len(data) - self._body_bytes
        if self._framing_bytes > HEAD_BYTES and not self.transport.is_closing():
            self._refuse("431 Request Header Fields Too Large", f"A head may have {HEAD_BYTES} bytes at most.")

    def on_message_begin(self) -> None:
        self._wait_for_head()
        self._framing_bytes = 0
        self._is_head_open = True
        super().on_message_begin()

    def on_chunk_complete(self) -> None:
        self._framing_bytes = 0

    def on_headers_complete(self) -> None:
        self._stop(self._waiting)
        self._waiting = None
        self._is_head_open = self._is_body_complete = False
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is before:  # another protocol takes over
            return
        self._unanswered = [cycle for cycle in self._unanswered if not cycle.response_complete] + [self.cycle]
        if len(self._unanswered) > 1:
            self.loop.call_later(PIPELINED_S, self._abort_unless_answered, self._unanswered[0])

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_body_complete = True
        self._stop(self._lingering)
        self._lingering = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if not self._is_body_complete and not self.pipeline and self._lingering is None:
            self._lingering = self.loop.call_later(LINGER_S, self.transport.abort)
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._draining = self.loop.call_later(RATE_S, self._check_rate, self._untaken_bytes())

    def resume_writing(self) -> None:
        self._stop(self._draining)
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._waiting, self._lingering, self._draining):
            self._stop(timer)
        for cycle in self._unanswered:  # uvicorn disconnects only the latest
            cycle.disconnected = True
            cycle.message_event.set()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        self._refuse("400 Bad Request", msg)

    def _refuse(self, status: str, why: str) -> None:
        """Closes the connection after a response with the usual headers, which bypasses the application; without a
        response while one is under way, or after one was sent."""
        if any(not cycle.response_complete for cycle in self._unanswered) or not self._is_head_open:
            self.transport.abort()
            return
        headers = {
            **HEADERS,
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Length": str(len(why)),
            "Connection": "close",
        }
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items()), "", why]
        self.transport.write("\r\n".join(lines).encode("ascii"))
        self.transport.close()

    def _wait_for_head(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_S, self._give_up)

    def _give_up(self) -> None:
        self._waiting = None
        if self.cycle is not None and not self.cycle.response_complete:
            self._wait_for_head()  # a second request began before the response to the first
        else:
            self.transport.close()

    def _abort_unless_answered(self, cycle: RequestResponseCycle) -> None:
        if not cycle.response_complete:  # until then the socket is not read, and a closed connection goes unnoticed
            self.transport.abort()

    def _untaken_bytes(self) -> int:
        """Returns the bytes buffered here and those that the client has not acknowledged (SIOCOUTQ, tcp(7))."""
        connection = self.transport.get_extra_info("socket")
        untaken = struct.unpack("i", fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4)))[0]
        return int(self.transport.get_write_buffer_size() + untaken)

    def _check_rate(self, waiting_bytes: int) -> None:
        """Aborts a slow client. The application waits meanwhile, so that the buffer only shrinks."""
        now_bytes = self._untaken_bytes()
        if waiting_bytes - now_bytes < min(RATE_BYTES, waiting_bytes):
            self.transport.abort()
        else:
            self._draining = self.loop.call_later(RATE_S, self._check_rate, now_bytes)

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
