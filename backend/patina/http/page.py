"""Pages of lists, newest first: parameters and responses, from rows or as JSON made by the database."""

from functools import cached_property, lru_cache
from typing import Annotated, Any, Generic, Self, TypeVar

from fastapi import Query
from pydantic import BaseModel, ConfigDict
from sqlalchemy import BigInteger, ColumnElement, Executable, Integer, Select, Text, bindparam, cast, func, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

Cursor = Annotated[int | None, Query(ge=1, description="Items older than this id")]
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
        """Returns the rows of a mapped class older than the cursor that meet the conditions."""
        older = [] if cursor is None else [model.id < cursor]
        rows = session.scalars(select(model).where(*conditions, *older).order_by(model.id.desc()).limit(limit + 1))
        found = list(rows)
        items, next_cursor = found[:limit], found[limit - 1].id if len(found) > limit else None
        return cls.model_validate({"items": items, "next_cursor": next_cursor})


class PageJson:
    """A list as JSON made by the database: a third of the cost of rows that become objects and then text.

    The rows of `statement`, each an object of its labels, in its order. It must select an `id`, the page's cursor.

    `conditions`: optional filters by name, each with a `bindparam` of that name. The members of the label
    `merged`, an object in the last column, become members of the row: cheaper than one label for each.
    `found`: a statement that selects only the column of the ids, in the same order. The filters and the limit are then
    those of this statement. It is executed first, so that only the rows of the page are joined.
    """

    def __init__(
        self,
        statement: Select[*tuple[Any, ...]],
        *,
        merged: str | None = None,
        found: Select[int] | None = None,
        **conditions: ColumnElement[bool],
    ) -> None:
        self._statement = statement
        self._found = found
        self._opening = None if merged is None else f'"{merged}":{{'
        self._conditions = conditions
        self._asking = lru_cache(self._statement_asking)  # building costs more than executing

    def read(self, *, session: Session, limit: int, **asked: object) -> str:
        """Returns `items`, at most `limit`, and `next_cursor`, the cursor of the next page. None disables a filter."""
        given = {name: value for name, value in asked.items() if value is not None}
        found = session.execute(self._asking(frozenset(given)), given | {"limit": limit + 1}).all()
        ids = [row[0] for row in found]
        rows = found if self._found is None else session.execute(self._joining, {"ids": ids[:limit]}).all()
        items = ",".join(self._merge(text) for _, text in rows[:limit])
        cursor = ids[limit - 1] if len(ids) > limit else "null"
        return f'{{"items":[{items}],"next_cursor":{cursor}}}'

    def _merge(self, text: str) -> str:
        if self._opening is None:
            return text
        # No string contains it: quotes are escaped.
        before, _, after = text.partition(self._opening)
        return before + after[:-1]

    def _statement_asking(self, names: frozenset[str]) -> Executable:
        found = self._statement if self._found is None else self._found
        # The limit is literal: with a parameter, PostgreSQL replans each time (it assumes a tenth of the table).
        limit = bindparam("limit", type_=Integer, literal_execute=True)
        page = found.where(*(self._conditions[name] for name in sorted(names))).limit(limit)
        return _as_json(page) if self._found is None else page

    @cached_property
    def _joining(self) -> Executable:
        """Returns the statement for the rows of the ids that `found` has returned."""
        assert self._found is not None
        (ids,) = self._found.selected_columns
        return _as_json(self._statement.where(ids == func.any(bindparam("ids", type_=ARRAY(BigInteger)))))


def _as_json(statement: Select[*tuple[Any, ...]]) -> Executable:
    rows = statement.subquery()
    return select(rows.c.id, cast(func.row_to_json(rows.table_valued()), Text))
