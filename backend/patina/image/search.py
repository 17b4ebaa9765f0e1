"""Search of the catalog: words in the texts of an image, and facets, properties that images have in common.

A word matches the beginnings of words. The trigger that writes the words of an entry splits texts in the same way.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, Text, bindparam, cast, func
from sqlalchemy.dialects.postgresql import ARRAY, TSQUERY

from patina.http.page import Cursor, Limit
from patina.image.models import ImageEntry
from patina.image.sort import Sort

UNKNOWN = ""  # as a value of a facet
# All ASCII characters but letters and digits are between words.
_WORD_BREAKS = re.compile(r"[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")
# As lower() of the locale C: letters beyond ASCII are compared as they are.
_TO_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


@dataclass(frozen=True)
class _Of:
    """The column of a facet."""

    column: Any


_Chosen = Annotated[list[str], Field(max_length=50)]


class ImageSearch(BaseModel):
    """Conditions that an image meets: every word, and one of the values of each facet that has some. The empty value is
    that of images in which it is unknown."""

    q: str = Field("", max_length=200, description="Beginnings of words of name, tags, description, recipe or import")
    file_system: Annotated[_Chosen, _Of(ImageEntry.file_system)] = []
    profile: Annotated[_Chosen, _Of(ImageEntry.profile)] = []
    workload: Annotated[_Chosen, _Of(ImageEntry.workload)] = []
    origin: Annotated[_Chosen, _Of(ImageEntry.origin)] = []
    size_bytes: Annotated[_Chosen, _Of(ImageEntry.size_bytes)] = []
    kernel: Annotated[_Chosen, _Of(ImageEntry.kernel)] = []
    device_model: Annotated[_Chosen, _Of(ImageEntry.device_model)] = []

    def values(self) -> dict[str, Any]:
        """Returns the values of the conditions that are given, by name."""
        chosen: dict[str, Any] = {name: values for name in FACETS if (values := getattr(self, name))}
        words = _words(self.q)
        return chosen | ({"q": " & ".join(f"'{word}':*" for word in words)} if words else {})


class ImageQuery(ImageSearch):
    """A search, and the page of its result."""

    sort: Sort = Sort.NEWEST
    cursor: Cursor = None
    limit: Limit = 50
    id: list[int] = Field([], max_length=200, description="Only these images")
    run_id: int | None = Field(None, ge=1, description="Only the image of this run")


FACETS: dict[str, Any] = {
    name: of.column for name, field in ImageSearch.model_fields.items() for of in field.metadata if isinstance(of, _Of)
}
_ASKED = cast(bindparam("q", type_=Text, literal_execute=True), TSQUERY)  # literal: the plan depends on the words
MATCHES: ColumnElement[bool] = ImageEntry.words.op("@@")(_ASKED)


def text_of(column: Any) -> ColumnElement[str]:
    """Returns a value of a facet as text."""
    return func.coalesce(cast(column, Text), UNKNOWN)


def is_one_of(name: str, column: Any) -> ColumnElement[bool]:
    """Returns the condition that a value is one of those chosen for the facet `name`."""
    return text_of(column) == func.any(bindparam(name, type_=ARRAY(Text)))


def _words(text: str) -> list[str]:
    return [word for word in _WORD_BREAKS.split(text.translate(_TO_LOWER)) if word]
