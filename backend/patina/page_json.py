"""Pages of lists as JSON that the database makes: a third of what rows cost that become objects and then text."""

from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Executable, Select, Text, bindparam, cast, func, select
from sqlalchemy.orm import Session


class PageJson:
    """A list: the rows of `statement`, each an object of its labels. It selects an `id`, by which it is in order.

    `conditions` are by the names of what may be asked, each of a `bindparam` of its name.
    """

    def __init__(self, statement: Select[*tuple[Any, ...]], **conditions: ColumnElement[bool]) -> None:
        self._statement = statement
        self._conditions = conditions
        self._asking = lru_cache(self._statement_asking)  # to put it together costs more than to ask it

    def read(self, *, session: Session, limit: int, **asked: object) -> str:
        """`items`, `limit` at most, and `next_cursor`, after which the next page begins. None is not asked for."""
        given = {name: value for name, value in asked.items() if value is not None}
        found = session.execute(self._asking(frozenset(given)), given | {"limit": limit + 1}).all()
        items = ",".join(text for _, text in found[:limit])
        cursor = found[limit - 1][0] if len(found) > limit else "null"
        return f'{{"items":[{items}],"next_cursor":{cursor}}}'

    def _statement_asking(self, names: frozenset[str]) -> Executable:
        asking = self._statement.where(*(self._conditions[name] for name in sorted(names)))
        rows = asking.limit(bindparam("limit")).subquery()
        return select(rows.c.id, cast(func.row_to_json(rows.table_valued()), Text))
