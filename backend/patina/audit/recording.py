"""Records a change in the transaction that makes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import event, inspect
from sqlalchemy.orm import Session, UOWTransaction

from patina.account.actor import Actor
from patina.audit.models import AuditEntry, AuditOutcome
from patina.db import Base, transaction

PATH_CHARS = 500
VALUE_CHARS = 200
MOST_ROWS_COUNT = 50


@dataclass(frozen=True)
class Source:
    """What the trail states about a request, apart from its effect."""

    actor: Actor | None
    address: str
    action: str
    path: str

    def entry(self, outcome: AuditOutcome, detail: dict[str, Any], name: str | None = None) -> AuditEntry:
        """Returns the row. `name`: of the account, if the request has no actor."""
        actor = self.actor
        return AuditEntry(
            account_id=actor and actor.account_id,
            account_name=actor.name if actor else name or "",
            credential_id=actor and actor.credential_id,
            address=self.address,
            action=self.action,
            path=self.path[:PATH_CHARS],
            outcome=outcome,
            detail=detail,
        )


@contextmanager
def recorded(source: Source, *, name: str | None = None) -> Iterator[Session]:
    """Yields a session as `transaction` does. Its commit contains the entry, so that no change lacks one.

    `name`: of who makes the change without an account.
    """
    with transaction() as session:
        changes = _Changes()
        event.listen(session, "after_flush", changes.note)
        yield session
        session.flush()
        event.remove(session, "after_flush", changes.note)
        name = name or next((row.name for row in changes.accounts), None)
        session.add(source.entry(AuditOutcome.DONE, changes.detail(), name))


def record_refusal(source: Source, *, code: str, name: str | None = None) -> None:
    """Records a refused request, in a transaction of its own."""
    with transaction() as session:
        session.add(source.entry(AuditOutcome.REFUSED, {"code": code}, name))


class _Changes:
    """The rows that a session makes, changes and deletes."""

    def __init__(self) -> None:
        self._made: list[Base] = []
        self._deleted: list[str] = []
        self._changed: dict[str, dict[str, list[Any]]] = {}
        self.accounts: list[Any] = []  # made: of an invitation that was used

    def note(self, session: Session, _: UOWTransaction) -> None:
        self._made += [row for row in session.new if _is_shown(row)]
        self.accounts += [row for row in session.new if row.__tablename__ == "account"]
        self._deleted += [label_of(row) for row in session.deleted if _is_shown(row)]
        for row in session.dirty:
            if _is_shown(row) and (values := _changed_values(row)):
                self._changed.setdefault(label_of(row), {}).update(values)

    def detail(self) -> dict[str, Any]:
        """Returns the parts that are not empty."""
        parts: dict[str, Any] = {
            "made": [label_of(row) for row in self._made[:MOST_ROWS_COUNT]],
            "deleted": self._deleted[:MOST_ROWS_COUNT],
            "changed": dict(list(self._changed.items())[:MOST_ROWS_COUNT]),
        }
        return {name: part for name, part in parts.items() if part}


def _is_shown(row: Any) -> bool:
    return bool(row.__table__.info.get("is_audited", True)) and hasattr(row, "id")


def label_of(row: Any) -> str:
    """Returns the name of a row for readers: "run 42"."""
    label = getattr(row, "label", None)
    return label if isinstance(label, str) else f"{row.__tablename__.replace('_', ' ')} {row.id}"


def _changed_values(row: Any) -> dict[str, list[Any]]:
    """Returns the old and the new value of each changed column, except secrets."""
    found = {}
    state = inspect(row)
    for column in state.mapper.column_attrs:
        history = state.attrs[column.key].history
        if history.has_changes() and not column.columns[0].info.get("is_secret", False):
            found[column.key] = [_shown(history.deleted), _shown(history.added)]
    return found


def _shown(values: Any) -> Any:
    value = values[0] if values else None
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)[:VALUE_CHARS]
