"""Runs migrations against the installation's database. They are the only source of its schema."""

from alembic import context
from sqlalchemy import create_engine, text

import patina.tables  # noqa: F401  # registers every table
from patina.db import Base
from patina.settings import settings

# A migration that waits longer than this for a lock fails, so that other transactions do not queue behind it.
LOCK_TIMEOUT = "5s"


def run_migrations() -> None:
    """Upgrades or downgrades in one transaction."""
    engine = create_engine(settings().database_url)
    with engine.connect() as connection:
        connection.execute(text(f"SET lock_timeout = '{LOCK_TIMEOUT}'"))
        connection.commit()
        context.configure(connection=connection, target_metadata=Base.metadata, compare_server_default=True)
        with context.begin_transaction():
            context.run_migrations()


run_migrations()
