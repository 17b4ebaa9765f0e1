"""Headers of every response, from any layer: restrictions on its use by a browser."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patina.settings import settings

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


# For a server that is reached over TLS: browsers then use no other connection to it, for a year.
OVER_TLS = {"Strict-Transport-Security": "max-age=31536000"}


class AnswerHeaders:
    """The outermost ASGI middleware: refusals of the others get the headers too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = HEADERS | (OVER_TLS if settings().advertised_url.startswith("https://") else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def _send(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, _send)
