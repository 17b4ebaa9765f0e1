"""Converts errors to problem+json: one handler for each kind of error."""

import json
from collections.abc import Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DataError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from patina.errors import FieldProblem, NotFound, PatinaError, Problem
from patina.figures import in_bytes

# Bounds the response: names of fields come from the client.
MOST_ERRORS_COUNT = 20
MOST_CHARS = 500

log = structlog.get_logger()


class _ProblemResponse(JSONResponse):
    """ASCII JSON: text echoed from a client may contain half a surrogate pair."""

    media_type = "application/problem+json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


DatabaseUnavailable = PatinaError.of("database_unavailable", "The database does not answer", status=503)
RequestInvalid = PatinaError.of("request_invalid", "Invalid request", status=422)
_OF_STATUS: dict[int, type[PatinaError]] = {
    404: NotFound,
    405: PatinaError.of("method_not_allowed", "Method not allowed", status=405),
    408: PatinaError.of("request_too_slow", "The request came too slowly", status=408),
    413: PatinaError.of("body_too_large", "The request is too large", status=413),
}
_Http = PatinaError.of("http", "The request was refused")


def problem_response(error: PatinaError) -> JSONResponse:
    """Returns the response for a refusal, as problem+json."""
    problem = Problem(
        type=f"urn:patina:{error.code}",
        title=error.title,
        status=error.status,
        code=error.code,
        detail=error.message,
        errors=error.errors,
    )
    further = {name: member.model_dump(mode="json") for name, member in error.members.items()}
    headers = dict(error.headers or {})
    return _ProblemResponse(problem.model_dump() | further, status_code=error.status, headers=headers)


def _location(parts: Sequence[object]) -> str:
    return ".".join(str(part) for part in parts if part not in ("body", "query", "path"))


_LIMITS = {
    "greater_than": ("gt", "must be more than {}"),
    "greater_than_equal": ("ge", "must be {} or more"),
    "less_than": ("lt", "must be less than {}"),
    "less_than_equal": ("le", "must be {} or less"),
    "multiple_of": ("multiple_of", "must be a multiple of {}"),
}


def _wrong(error: dict[str, Any]) -> str:
    """Returns what is wrong with a field, for a reader who does not know the library that found it."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return "there is no such field"
    if kind in ("literal_error", "enum"):
        return f"must be {context['expected']}"
    if kind not in _LIMITS:
        return str(error["msg"]).removeprefix("Value error, ")
    name, words = _LIMITS[kind]
    limit = context[name]
    is_size = str(error["loc"][-1]).endswith("_bytes")
    return words.format(in_bytes(limit) if is_size else f"{limit:,}")


def install_error_handlers(app: FastAPI) -> None:
    """Installs handlers that answer every refusal as problem+json."""

    @app.exception_handler(PatinaError)
    def _patina(_: Request, error: PatinaError) -> JSONResponse:
        return problem_response(error)

    @app.exception_handler(OperationalError)
    @app.exception_handler(PoolTimeout)
    def _database(_: Request, error: SQLAlchemyError) -> JSONResponse:
        log.warning("the database did not answer", error=str(getattr(error, "orig", None) or error))
        detail = (
            "The database does not answer, or aborted this request. Check whether the requested change was made, then "
            "try again."
        )
        return problem_response(DatabaseUnavailable(detail, headers={"Retry-After": "1"}))

    @app.exception_handler(DataError)
    def _not_storable(_: Request, error: DataError) -> JSONResponse:
        """Handles a number beyond 64 bits, or text with U+0000."""
        log.warning("the database refused a value", error=str(error.orig))
        return problem_response(RequestInvalid(f"A value cannot be stored: {str(error.orig).splitlines()[0]}."))

    @app.exception_handler(Exception)  # Starlette raises it again after the response, into the server's log
    def _unforeseen(_: Request, error: Exception) -> JSONResponse:
        detail = f"Unexpected error ({type(error).__name__}). See the log of the server."
        return problem_response(PatinaError(detail))

    @app.exception_handler(RequestValidationError)
    def _validation(_: Request, error: RequestValidationError) -> JSONResponse:
        found = error.errors()
        problems = [
            FieldProblem(field=_location(e["loc"])[:MOST_CHARS], message=_wrong(e)[:MOST_CHARS])
            for e in found[:MOST_ERRORS_COUNT]
        ]
        detail = "; ".join(f"{p.field}: {p.message}" if p.field else p.message for p in problems)
        if len(found) > MOST_ERRORS_COUNT:
            detail += f"; and {len(found) - MOST_ERRORS_COUNT} more"
        return problem_response(RequestInvalid(detail, errors=problems))

    @app.exception_handler(HTTPException)
    def _http(_: Request, error: HTTPException) -> JSONResponse:
        refusal = _OF_STATUS.get(error.status_code, _Http)(str(error.detail), headers=error.headers)
        refusal.status = error.status_code
        return problem_response(refusal)
