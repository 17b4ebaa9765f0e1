"""PatinaError: a refusal with a stable code, sent as problem+json (RFC 9457, problem.py)."""

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import BaseModel, Field


class FieldProblem(BaseModel):
    """One invalid field of a request."""

    field: str
    message: str
    code: str | None = Field(default=None, description="Of the refusal of one member of a batch")


class Problem(BaseModel):
    """RFC 9457 problem details, with a code for programs."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[FieldProblem]


# Titles of all codes of responses and jobs.
TITLES: dict[str, str] = {"internal": "Internal error"}


class PatinaError(Exception):
    """A refusal. Subclasses fix `code`, `status` and `title`; the message states the failure, its subject and a remedy.
    `members` are further members of the problem document."""

    code = "internal"
    status = 500
    title = "Something went wrong in the server"

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

    @classmethod
    def of(cls, code: str, title: str, *, status: int | None = None) -> type[Self]:
        """Returns a new subclass with this code. Call it once, at import."""
        name = "".join(word.capitalize() for word in code.split("_"))
        return type(name, (cls,), {"code": code, "title": title, "status": cls.status if status is None else status})

    def __init_subclass__(cls) -> None:
        if "code" in cls.__dict__:
            TITLES.setdefault(cls.code, cls.title)


class NotFound(PatinaError):
    code = "not_found"
    status = 404
    title = "Not found"
