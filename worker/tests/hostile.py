"""Damage that an account with all rights on the database can do."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import text

from patina.db import transaction


@contextmanager
def without_constraint(table: str, name: str) -> Iterator[None]:
    """Drops the constraint while the context lasts. Rows that it forbids must be gone at the end."""
    with transaction() as session:
        read = text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = :name")
        definition = session.execute(read, {"name": name}).scalar_one()
        session.execute(text(f"ALTER TABLE {table} DROP CONSTRAINT {name}"))
    try:
        yield
    finally:
        with transaction() as session:
            session.execute(text(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}"))
