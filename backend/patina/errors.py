"""PatinaError: every refusal has a stable code, and is problem+json (RFC 9457) where it leaves the API (problem.py)."""

from collections.abc import Mapping, Sequence
from typing import Self

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


# Of every code that an answer or a job may have.
TITLES: dict[str, str] = {"internal": "Internal error"}


class PatinaError(Exception):
    """A refusal. Subclasses fix `code`, `status` and `title`; the message says what happened, to what, what to do.
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
        """One more error of this sort, by its code. Made once, while modules are imported."""
        name = "".join(word.capitalize() for word in code.split("_"))
        return type(name, (cls,), {"code": code, "title": title, "status": cls.status if status is None else status})

    def __init_subclass__(cls) -> None:
        if "code" in cls.__dict__:
            TITLES.setdefault(cls.code, cls.title)


class NotFound(PatinaError):
    code = "not_found"
    status = 404
    title = "Not found"
