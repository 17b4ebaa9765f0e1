"""Answers the API's refusals as problem+json: one handler for each kind of error."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy.exc import DataError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from patina.errors import FieldProblem, PatinaError, Problem

# An answer is no larger than its request: the names of fields are the client's.
MOST_ERRORS_COUNT = 20
MOST_CHARS = 500

log = structlog.get_logger()


class _ProblemResponse(JSONResponse):
    """In ASCII: what a client sent, and is told again, may be half of a character."""

    media_type = "application/problem+json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def problem_response(
    *,
    status: int,
    code: str,
    title: str,
    detail: str,
    errors: Sequence[FieldProblem] = (),
    headers: Any = None,
    members: Mapping[str, BaseModel] | None = None,
) -> JSONResponse:
    """A problem+json response."""
    problem = Problem(
        type=f"urn:patina:{code}", title=title, status=status, code=code, detail=detail, errors=list(errors)
    )
    further = {name: member.model_dump(mode="json") for name, member in (members or {}).items()}
    body = problem.model_dump() | further
    return _ProblemResponse(body, status_code=status, headers=headers)


_CODES = {404: "not_found", 408: "request_too_slow", 405: "method_not_allowed", 413: "body_too_large"}


def _location(parts: Sequence[object]) -> str:
    return ".".join(str(part) for part in parts if part not in ("body", "query", "path"))


def install_error_handlers(app: FastAPI) -> None:
    """Teach `app` to answer every refusal as problem+json."""

    @app.exception_handler(PatinaError)
    def _patina(_: Request, error: PatinaError) -> JSONResponse:
        return problem_response(
            status=error.status,
            code=error.code,
            title=error.title,
            detail=error.message,
            errors=error.errors,
            headers=error.headers,
            members=error.members,
        )

    @app.exception_handler(OperationalError)
    @app.exception_handler(PoolTimeout)
    def _database(_: Request, error: SQLAlchemyError) -> JSONResponse:
        log.warning("the database did not answer", error=str(getattr(error, "orig", None) or error))
        return problem_response(
            status=503,
            code="database_unavailable",
            title="The database does not answer",
            detail="The database does not answer, or gave up on this request. Look whether a change that you asked for "
            "was made, then try again.",
            headers={"Retry-After": "1"},
        )

    @app.exception_handler(DataError)
    def _not_storable(_: Request, error: DataError) -> JSONResponse:
        """A number beyond 64 bits, or text with U+0000."""
        log.warning("the database refused a value", error=str(error.orig))
        return problem_response(
            status=422,
            code="request_invalid",
            title="Request invalid",
            detail=f"A value cannot be stored: {str(error.orig).splitlines()[0]}.",
        )

    @app.exception_handler(Exception)  # Starlette raises it once more after the answer: the server's log has it whole
    def _unforeseen(_: Request, error: Exception) -> JSONResponse:
        return problem_response(
            status=500,
            code=PatinaError.code,
            title=PatinaError.title,
            detail=f"An error that nobody has foreseen ({type(error).__name__}). The log of the server says more.",
        )

    @app.exception_handler(RequestValidationError)
    def _validation(_: Request, error: RequestValidationError) -> JSONResponse:
        found = error.errors()
        problems = [
            FieldProblem(field=_location(e["loc"])[:MOST_CHARS], message=e["msg"][:MOST_CHARS])
            for e in found[:MOST_ERRORS_COUNT]
        ]
        detail = "; ".join(f"{p.field}: {p.message}" if p.field else p.message for p in problems)
        if len(found) > MOST_ERRORS_COUNT:
            detail += f"; and {len(found) - MOST_ERRORS_COUNT} more"
        return problem_response(
            status=422, code="request_invalid", title="Request invalid", detail=detail, errors=problems
        )

    @app.exception_handler(HTTPException)
    def _http(_: Request, error: HTTPException) -> JSONResponse:
        code = _CODES.get(error.status_code, "http")
        return problem_response(
            status=error.status_code,
            code=code,
            title=str(error.detail),
            detail=str(error.detail),
            headers=error.headers,
        )
