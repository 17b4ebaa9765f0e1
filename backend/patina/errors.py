"""PatinaError: every refusal has a stable code, and is problem+json (RFC 9457) where it leaves the API (problem.py)."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel


class FieldProblem(BaseModel):
    """One field of a request that was wrong."""

    field: str
    message: str


class Problem(BaseModel):
    """RFC 9457 problem details, with a code that programs switch on."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[FieldProblem]


class PatinaError(Exception):
    """A refusal. Subclasses fix `code`, `status` and `title`; the message says what happened, to what, what to do.
    `members` are further members of the problem document."""

    code = "internal"
    status = 500
    title = "Internal error"

    def __init__(
        self,
        message: str,
        errors: Sequence[FieldProblem] = (),
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, BaseModel] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.errors = list(errors)
        self.headers = headers
        self.members = dict(members or {})


class NotFound(PatinaError):
    code = "not_found"
    status = 404
    title = "Not found"
