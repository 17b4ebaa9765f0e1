"""Read-only routes: one thread handles a request from the query to the bytes of the response.

FastAPI needs four thread switches (a dependency's setup and teardown, the route, validation of its result), and holds
the database connection in between: with more requests than connections, threads then wait for threads that wait for
connections. And all threads but one wait for the interpreter.
"""

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast, get_args

from fastapi.responses import Response
from pydantic import TypeAdapter
from sqlalchemy.orm import Session

from patina.db import read_only_factory

READERS_COUNT = 2  # beside the event loop: more would only wait for the interpreter

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")

_readers = ThreadPoolExecutor(READERS_COUNT, thread_name_prefix="reader")
_walker = ThreadPoolExecutor(1, thread_name_prefix="walker")


def read_only_at_length(endpoint: Callable[Concatenate[Session, Asked], Answer | str]) -> Callable[Asked, Answer]:
    """As `read_only`, for requests that take seconds. One at a time in the process: other requests go on."""
    return read_only(endpoint, threads=_walker)


def read_only(
    endpoint: Callable[Concatenate[Session, Asked], Answer | str], *, threads: ThreadPoolExecutor = _readers
) -> Callable[Asked, Answer]:
    """Wraps an endpoint: passes the session, and sends its declared result, or its string, as JSON."""
    signature = inspect.signature(endpoint)
    (declared,) = {*(get_args(signature.return_annotation) or [signature.return_annotation])} - {str}
    answer: TypeAdapter[Answer] = TypeAdapter(declared)

    def _read(asked: dict[str, Any]) -> str | bytes:
        with read_only_factory()() as session:
            found = endpoint(session, **asked)  # type: ignore[call-arg]  # FastAPI calls by name
            return found if isinstance(found, str) else answer.dump_json(found)

    @wraps(endpoint)
    async def _route(**asked: Any) -> Response:
        context = copy_context()  # of the request: who sends it
        body = await asyncio.get_running_loop().run_in_executor(threads, context.run, _read, asked)
        return Response(body, media_type="application/json")

    _session, *rest = signature.parameters.values()
    shown = signature.replace(parameters=rest, return_annotation=declared)
    _route.__signature__ = shown  # type: ignore[attr-defined]  # inspect and FastAPI read it; typeshed lacks it
    return cast(Callable[Asked, Answer], _route)
