"""Protects the API from other sites' pages: the Host must be trusted, so must an unsafe request's Origin, and a
subresource must be loaded by a page of this server.

The browser sends the session's cookie with every request: a page that a user merely visits could otherwise age
devices.
"""

from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from patina.errors import PatinaError
from patina.http.problem import problem_response
from patina.settings import settings

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def _host_of(authority: str) -> str:
    """Returns the host of an authority; empty if it has none."""
    try:
        return urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return ""


def _is_of(origin: str, host: str) -> bool:
    try:
        return urlsplit(origin).netloc == host
    except ValueError:
        return False


HostNotTrusted = PatinaError.of("host_not_trusted", "The server refused this address", status=421)
OriginRefused = PatinaError.of("origin_refused", "The server refused this page", status=403)


class Guard:
    """Pure ASGI middleware: it adds no layer between a download and its connection."""

    def __init__(self, app: ASGIApp, trusted: frozenset[str]) -> None:
        self._app = app
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(Request(scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        if _host_of(host) not in self._trusted:
            detail = f"This server does not answer for {host!r}. Name it in PATINA_TRUSTED_HOSTS if it should."
            return problem_response(HostNotTrusted(detail))
        origin = request.headers.get("origin")
        if request.method not in SAFE_METHODS and origin is not None and not _is_of(origin, host):
            return problem_response(OriginRefused(f"A page of {origin} may not change anything here."))
        if not _is_from_here(request):
            detail = "A page of another site may link to this server, and load nothing from it."
            return problem_response(OriginRefused(detail))
        return None


def _is_from_here(request: Request) -> bool:
    """Checks the origin in Fetch Metadata, also of safe requests: any page could send costly ones."""
    site = request.headers.get("sec-fetch-site", "none")
    # Frames navigate as well; only a top-level page was opened by the user.
    is_page = (request.headers.get("sec-fetch-mode"), request.headers.get("sec-fetch-dest")) == ("navigate", "document")
    return site in ("same-origin", "none") or is_page


def install_guards(app: FastAPI) -> None:
    """Refuses untrusted hosts and origins with problem+json."""
    trusted = frozenset(host.strip().strip("[]") for host in settings().trusted_hosts.split(","))
    app.add_middleware(Guard, trusted=trusted)
