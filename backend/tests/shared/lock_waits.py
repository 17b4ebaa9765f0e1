"""Which database sessions wait for a lock: a test that holds the lock knows then that the other side has come to it."""

from sqlalchemy import text

from patina.db import transaction

_STATEMENT = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


def waiting_count() -> int:
    """How many sessions of the test's database wait for a lock."""
    with transaction() as session:
        return int(session.execute(text(_STATEMENT)).scalar_one())
