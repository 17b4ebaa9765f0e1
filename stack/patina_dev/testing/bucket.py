"""A real S3 server that checks signatures, and a proxy before it that simulates network failures."""

import http.client
import re
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

from patina_dev.testing.wait import HANG_S, wait_until
from patina_stack.services import free_port

BUCKET = "patina-test"
FULL = b"<?xml version='1.0'?><Error><Code>XMinioStorageFull</Code><Message>Storage reached its limit</Message></Error>"

# The treatment of a request: forwarded, connection cut before or after the server handled it, refused as full.
Fate = Literal["forward", "cut", "cut_after", "full", "strange"]

_POLICY = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'


class BucketServer:
    """The server, its one bucket and its key."""

    def __init__(self, log: Path) -> None:
        self._port = free_port()
        self.access_key = self.secret_key = ""
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self._port)],
                stdout=file,
                stderr=file,
            )
        try:
            self._set_up()
        except BaseException:
            self.close()
            raise
        self.proxy = Proxy(self._port)

    @property
    def url(self) -> str:
        return self.proxy.url

    def close(self) -> None:
        if hasattr(self, "proxy"):
            self.proxy.close()
        self._process.terminate()
        self._process.wait(HANG_S)

    def _set_up(self) -> None:
        wait_until("the S3 server answers", self._answers)
        self._iam("CreateUser", UserName="patina")
        answer = self._iam("CreateAccessKey", UserName="patina")
        self._iam("PutUserPolicy", UserName="patina", PolicyName="all", PolicyDocument=_POLICY)
        found = re.search(r"<AccessKeyId>(.+?)</AccessKeyId>.*<SecretAccessKey>(.+?)</SecretAccessKey>", answer)
        assert found, answer
        self.access_key, self.secret_key = found[1], found[2]
        self._ask("PUT", f"/{BUCKET}", service="s3")
        self._ask("POST", "/moto-api/reset-auth", b"0")  # from here on every request needs a right signature

    def _answers(self) -> bool:
        try:
            self._ask("GET", "/moto-api/")
        except OSError:
            return False
        return True

    def _iam(self, action: str, **arguments: str) -> str:
        body = urllib.parse.urlencode({"Action": action, "Version": "2010-05-08", **arguments}).encode()
        return self._ask("POST", "/", body, service="iam", content_type="application/x-www-form-urlencoded")

    def _ask(
        self, method: str, path: str, body: bytes = b"", *, service: str = "", content_type: str = "text/plain"
    ) -> str:
        scope = f"Credential=a/20260101/us-east-1/{service}/aws4_request, SignedHeaders=host, Signature=none"
        headers = {"Content-Type": content_type} | ({"Authorization": f"AWS4-HMAC-SHA256 {scope}"} if service else {})
        url = f"http://127.0.0.1:{self._port}{path}"
        request = urllib.request.Request(url, data=body or None, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=HANG_S) as answer:
            content: bytes = answer.read()
        return content.decode()


class Proxy:
    """Forwards and records requests. A test decides the fate of each one."""

    def __init__(self, port: int) -> None:
        self.requests: list[tuple[str, str]] = []
        self.decide: Callable[[str, str], Fate] = lambda _method, _path: "forward"
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _forward(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                proxy.requests.append((self.command, self.path))
                fate = proxy.decide(self.command, self.path)
                if fate == "cut":
                    self._cut()
                elif fate == "full":
                    self._answer(507, {}, FULL)
                elif fate == "strange":
                    self._answer(418, {}, b"")
                else:
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_S)
                    connection.request(self.command, self.path, body, dict(self.headers.items()))
                    answer = connection.getresponse()
                    content = answer.read()
                    connection.close()
                    if fate == "cut_after":
                        self._cut()
                    else:
                        self._answer(answer.status, dict(answer.getheaders()), content)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _forward

            def _cut(self) -> None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)

            def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
                self.send_response_only(status)
                length = headers.get("Content-Length", len(content)) if self.command == "HEAD" else len(content)
                for name, value in headers.items():
                    if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Logs nothing: the requests are recorded."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, name="proxy", daemon=True).start()

    def count(self, method: str, part: str = "") -> int:
        """Counts the requests so far with this method and this part of a path."""
        return sum(asked == method and part in path for asked, path in self.requests)

    def reset(self) -> None:
        self.requests.clear()
        self.decide = lambda _method, _path: "forward"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
