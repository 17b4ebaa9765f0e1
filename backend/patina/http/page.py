"""Pages of lists, newest first: what is asked for and what is answered, from rows or as JSON by the database."""

from functools import lru_cache
from typing import Annotated, Any, Generic, Self, TypeVar

from fastapi import Query
from pydantic import BaseModel, ConfigDict
from sqlalchemy import ColumnElement, Executable, Integer, Select, Text, bindparam, cast, func, select
from sqlalchemy.orm import Session

Cursor = Annotated[int | None, Query(ge=1, description="Those older than this id")]
Limit = Annotated[int, Query(ge=1, le=200)]
Item = TypeVar("Item")


class Page(BaseModel, Generic[Item]):
    """Newest first. `next_cursor` is null on the last page."""

    model_config = ConfigDict(from_attributes=True)

    items: list[Item]
    next_cursor: int | None

    @classmethod
    def read(
        cls, model: Any, *conditions: ColumnElement[bool], session: Session, cursor: int | None, limit: int
    ) -> Self:
        """The rows of a mapped class that are older than the cursor and meet the conditions."""
        older = [] if cursor is None else [model.id < cursor]
        rows = session.scalars(select(model).where(*conditions, *older).order_by(model.id.desc()).limit(limit + 1))
        found = list(rows)
        items, next_cursor = found[:limit], found[limit - 1].id if len(found) > limit else None
        return cls.model_validate({"items": items, "next_cursor": next_cursor})


class PageJson:
    """A list as JSON that the database makes: a third of what rows cost that become objects and then text.

    The rows of `statement`, each an object of its labels. It selects an `id`, by which it is in order.

    `conditions` are by the names of what may be asked, each of a `bindparam` of its name. The members of the label
    `merged`, an object in the last place, become members of the row: that costs less than a label for each.
    """

    def __init__(
        self, statement: Select[*tuple[Any, ...]], *, merged: str | None = None, **conditions: ColumnElement[bool]
    ) -> None:
        self._statement = statement
        self._opening = None if merged is None else f'"{merged}":{{'
        self._conditions = conditions
        self._asking = lru_cache(self._statement_asking)  # to put it together costs more than to ask it

    def read(self, *, session: Session, limit: int, **asked: object) -> str:
        """`items`, `limit` at most, and `next_cursor`, after which the next page begins. None is not asked for."""
        given = {name: value for name, value in asked.items() if value is not None}
        found = session.execute(self._asking(frozenset(given)), given | {"limit": limit + 1}).all()
        items = ",".join(self._merge(text) for _, text in found[:limit])
        cursor = found[limit - 1][0] if len(found) > limit else "null"
        return f'{{"items":[{items}],"next_cursor":{cursor}}}'

    def _merge(self, text: str) -> str:
        if self._opening is None:
            return text
        # No string contains it: its quotes would be escaped.
        before, _, after = text.partition(self._opening)
        return before + after[:-1]

    def _statement_asking(self, names: frozenset[str]) -> Executable:
        asking = self._statement.where(*(self._conditions[name] for name in sorted(names)))
        # Its number in the text: with a parameter there, PostgreSQL plans each time (a tenth of the table is expected).
        rows = asking.limit(bindparam("limit", type_=Integer, literal_execute=True)).subquery()
        return select(rows.c.id, cast(func.row_to_json(rows.table_valued()), Text))
