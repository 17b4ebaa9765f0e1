"""Limits size and time of request bodies: FastAPI reads a whole body into memory before it parses it."""

from anyio import current_time, fail_after
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 2 * 2**20
STALL_S = 30.0
WHOLE_S = 120.0
_LIFTED = "patina.body_limits_lifted"


def lift_size(request: Request) -> None:
    """Exempts the request from the size limit. For routes that read the body in pieces and have their own limit."""
    request.scope[_LIFTED] = "size"


def lift_all(request: Request) -> None:
    """Exempts the request from the time limits too. For routes with their own."""
    request.scope[_LIFTED] = "all"


class BodyLimit:
    """ASGI middleware. Answers 413 once more than MAX_BODY_BYTES of a body have arrived, and 408 once an incomplete
    body has stalled for STALL_S, or is incomplete after WHOLE_S."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        received_bytes, is_complete = 0, False
        deadline = current_time() + WHOLE_S

        async def _limited() -> Message:
            nonlocal received_bytes, is_complete
            if is_complete or scope.get(_LIFTED) == "all":
                return await receive()
            try:
                with fail_after(min(STALL_S, deadline - current_time())):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(408, "The body came too slowly. Send it again.") from error
            is_complete = not message.get("more_body", False)
            received_bytes += len(message.get("body", b""))
            if received_bytes > MAX_BODY_BYTES and _LIFTED not in scope:
                raise HTTPException(413, f"A body may have {MAX_BODY_BYTES} bytes at most.")
            return message

        await self._app(scope, _limited if scope["type"] == "http" else receive, send)
