"""A receiver of webhooks: a real HTTP server in a thread that follows a script and keeps the requests."""

import ssl
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Answers 200 unless `script` has something else: one entry for each answer, the last one repeated.

    A number is a status; "drop" closes the connection without an answer; "drip" sends a byte now and then, forever.
    """

    def __init__(self, *, certificate: Path | None = None) -> None:
        self.received: list[Received] = []
        self.script: list[int | str] = [200]
        self.headers: dict[str, str] = {}
        self.is_over = threading.Event()
        outer = self

        class _Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.received.append(Received(self.path, headers, body))
                outer.answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            scheme = "https"
        self.port = int(self._server.server_address[1])
        self.url = f"{scheme}://127.0.0.1:{self.port}/hook?from=patina"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        word = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if word == "drop":
            handler.close_connection = True
            return
        if word == "drip":
            self._drip(handler)
            return
        handler.send_response(int(word))
        for name, value in self.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def _drip(self, handler: BaseHTTPRequestHandler) -> None:
        """Sends an endless header, so that no single read times out."""
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not self.is_over.wait(0.02):
            handler.wfile.write(b"x")
            handler.wfile.flush()

    def close(self) -> None:
        self.is_over.set()
        self._server.shutdown()
        self._server.server_close()
