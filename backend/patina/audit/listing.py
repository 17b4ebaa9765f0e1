"""Lists the audit trail, filtered, and writes it as lines of JSON or CSV."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from patina.audit.models import AuditEntry, AuditOutcome
from patina.audit.schemas import AuditEntryRead
from patina.db import transaction

_AT_ONCE_COUNT = 1_000


class AuditQuery(BaseModel):
    """Filters; absent ones exclude nothing."""

    account: str | None = Field(default=None, max_length=100, description="Name of the account")
    action: str | None = Field(default=None, max_length=100)
    outcome: AuditOutcome | None = None
    since: datetime | None = None
    until: datetime | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """Returns the conditions on rows."""
        wanted = {
            AuditEntry.account_name: self.account,
            AuditEntry.action: self.action,
            AuditEntry.outcome: self.outcome,
        }
        found = [column == value for column, value in wanted.items() if value is not None]
        if self.since is not None:
            found.append(AuditEntry.at >= self.since)
        if self.until is not None:
            found.append(AuditEntry.at < self.until)
        return found


def _pages(query: AuditQuery) -> Iterator[list[AuditEntryRead]]:
    """Yields all entries, oldest first, some at a time: the connection is not held while the client reads."""
    after = 0
    while True:
        with transaction() as session:
            rows = _after(session, query, after)
        if not rows:
            return
        yield rows
        after = rows[-1].id


def _after(session: Session, query: AuditQuery, after: int) -> list[AuditEntryRead]:
    statement = select(AuditEntry).where(AuditEntry.id > after, *query.conditions())
    rows = session.scalars(statement.order_by(AuditEntry.id).limit(_AT_ONCE_COUNT))
    return [AuditEntryRead.model_validate(row) for row in rows]


def as_json_lines(query: AuditQuery) -> Iterator[str]:
    """Yields one object a line."""
    for rows in _pages(query):
        yield "".join(f"{row.model_dump_json()}\n" for row in rows)


def as_csv(query: AuditQuery) -> Iterator[str]:
    """Yields a table with a heading; the detail is JSON."""
    names = list(AuditEntryRead.model_fields)
    yield _csv_lines([names])
    for rows in _pages(query):
        yield _csv_lines([[_cell(value) for value in row.model_dump(mode="json").values()] for row in rows])


def _csv_lines(rows: list[list[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    """Returns a cell that no spreadsheet takes for a formula."""
    if isinstance(value, dict):
        return json.dumps(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
