"""Routes that only read: one turn of one thread, from the question to the bytes of the answer.

FastAPI's own way takes four turns (a dependency's beginning and end, the route, the check of what it gives), and holds
the connection to the database in between: more requests than connections then wait for threads that wait for
connections. And of many threads all but one wait for the interpreter.
"""

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast, get_args

from fastapi.responses import Response
from pydantic import TypeAdapter
from sqlalchemy.orm import Session

from patina.db import read_only_factory

READERS_COUNT = 2  # beside the loop: more of them only wait for the interpreter

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")

_readers = ThreadPoolExecutor(READERS_COUNT, thread_name_prefix="reader")
_walker = ThreadPoolExecutor(1, thread_name_prefix="walker")


def read_only_at_length(endpoint: Callable[Concatenate[Session, Asked], Answer | str]) -> Callable[Asked, Answer]:
    """As `read_only`, of what takes seconds. One at a time for the whole process: all other requests go on."""
    return read_only(endpoint, threads=_walker)


def read_only(
    endpoint: Callable[Concatenate[Session, Asked], Answer | str], *, threads: ThreadPoolExecutor = _readers
) -> Callable[Asked, Answer]:
    """The route without its session, which it is given here. It gives what it says it gives, or the same as JSON."""
    signature = inspect.signature(endpoint)
    (declared,) = {*(get_args(signature.return_annotation) or [signature.return_annotation])} - {str}
    answer: TypeAdapter[Answer] = TypeAdapter(declared)

    def _read(asked: dict[str, Any]) -> str | bytes:
        with read_only_factory()() as session:
            found = endpoint(session, **asked)  # type: ignore[call-arg]  # FastAPI calls by name
            return found if isinstance(found, str) else answer.dump_json(found)

    @wraps(endpoint)
    async def _route(**asked: Any) -> Response:
        body = await asyncio.get_running_loop().run_in_executor(threads, _read, asked)
        return Response(body, media_type="application/json")

    _session, *rest = signature.parameters.values()
    shown = signature.replace(parameters=rest, return_annotation=declared)
    _route.__signature__ = shown  # type: ignore[attr-defined]  # inspect and FastAPI read it; typeshed knows of none
    return cast(Callable[Asked, Answer], _route)
