"""Keeps other people's web pages from driving this API: the Host must be ours, and so must an unsafe request's Origin.

Without accounts a page that a user merely visits could otherwise age their sandbox devices through their browser.
"""

from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from starlette.middleware.base import RequestResponseEndpoint
from starlette.responses import Response

from patina.errors import problem_response
from patina.settings import settings

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def _host_of(authority: str) -> str:
    return urlsplit(f"//{authority}").hostname or ""


def install_guards(app: FastAPI) -> None:
    """Refuse foreign hosts and origins with problem+json."""
    trusted = {host.strip().strip("[]") for host in settings().trusted_hosts.split(",")}

    @app.middleware("http")
    async def _guard(request: Request, call_next: RequestResponseEndpoint) -> Response:
        host = request.headers.get("host", "")
        if _host_of(host) not in trusted:
            return problem_response(
                status=421,
                code="host_not_trusted",
                title="Host not trusted",
                detail=f"This server does not answer for {host!r}. Name it in PATINA_TRUSTED_HOSTS if it should.",
            )
        origin = request.headers.get("origin")
        if request.method not in SAFE_METHODS and origin is not None and urlsplit(origin).netloc != host:
            return problem_response(
                status=403,
                code="origin_refused",
                title="Origin refused",
                detail=f"A page of {origin} may not change anything here.",
            )
        return await call_next(request)
