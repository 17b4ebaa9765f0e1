"""A provider of OpenID Connect whose answers a test decides: a real HTTP server in a thread, with real signatures.

It checks what a provider has to check: the client's secret, the code, and the verifier of PKCE.
"""

import base64
import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from joserfc.jws import JWSRegistry

from patina_dev.testing.planted import CLIENT_SECRET

__all__ = ["CLIENT_ID", "CLIENT_SECRET", "CODE", "SUBJECT", "SigningProvider"]

CLIENT_ID = "patina"
CODE = "code-of-the-provider"
SUBJECT = "248289761001"


class SigningProvider:
    """Answers correctly, unless a test changes `claims`, `header`, `metadata`, `statuses` or the keys."""

    def __init__(self) -> None:
        self.asked: list[str] = []  # paths
        self._sent: dict[str, str] = {}  # the parameters of the browser's request
        self.rotate()
        self.answer_correctly()
        outer = self

        class _Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer._answer(self, outer._get(self.path))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                outer._answer(self, outer._exchange(body, self.headers.get("Authorization")))

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def answer_correctly(self) -> None:
        """Undoes what a test has changed."""
        self.statuses: dict[str, int] = {}  # by path, for a failure
        self.metadata: dict[str, Any] = {}  # in place of the right ones, as `claims` and `token`; None: left out
        self.claims: dict[str, Any] = {}
        self.token: dict[str, Any] = {}
        self.header: dict[str, Any] = {}
        self.user_info: dict[str, Any] = {
            "preferred_username": "Ada.L",
            "email": "ada@example.org",
            "email_verified": True,
        }
        self.published = self.key

    def rotate(self) -> None:
        """Signs with a new key from now on; the earlier one is no longer published."""
        self.key = RSAKey.generate_key(2048, auto_kid=True)
        self.published = self.key

    def admit(self, url: str) -> dict[str, str]:
        """Takes a browser that opens the address. Returns what it brings back."""
        self._sent = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        return {"state": self._sent["state"], "code": CODE, "iss": self.issuer}

    @property
    def sent(self) -> dict[str, str]:
        """Returns the parameters of the address that the browser opened."""
        return self._sent

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler, answer: tuple[int, Any]) -> None:
        path = urlsplit(handler.path).path
        self.asked.append(path)
        status, content = answer
        body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        handler.send_response(self.statuses.get(path, status))
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def _get(self, path: str) -> tuple[int, Any]:
        if path == "/.well-known/openid-configuration":
            found = {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "userinfo_endpoint": f"{self.issuer}/me",
                "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            }
            return 200, {name: value for name, value in (found | self.metadata).items() if value is not None}
        if path == "/keys":
            return 200, {"keys": [self.published.as_dict(private=False)]}
        return 200, {"sub": SUBJECT} | self.user_info

    def _exchange(self, body: str, authorization: str | None) -> tuple[int, Any]:
        form = {name: values[0] for name, values in parse_qs(body).items()}
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        if form.get("client_secret") != CLIENT_SECRET and authorization != f"Basic {basic}":
            return 401, {"error": "invalid_client", "error_description": "The secret is wrong"}
        challenge = _encoded(hashlib.sha256(form["code_verifier"].encode()).digest())
        is_right = (form["code"], form["redirect_uri"]) == (CODE, self._sent["redirect_uri"])
        if not is_right or challenge != self._sent["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        token = {"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": self._id_token()}
        return 200, {name: value for name, value in (token | self.token).items() if value is not None}

    def _id_token(self) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": SUBJECT,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 600,
            "nonce": self._sent["nonce"],
        }
        header = {"alg": "RS256", "kid": self.key.kid} | self.header
        made = {name: value for name, value in (claims | self.claims).items() if value is not None}
        if header["alg"] == "none":
            return ".".join((*(_encoded(json.dumps(part).encode()) for part in (header, made)), ""))
        key = OctKey.import_key(CLIENT_SECRET) if header["alg"] == "HS256" else self.key
        return jwt.encode(header, made, key, registry=JWSRegistry(algorithms=["RS256", "HS256"]))


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
