"""Database sessions that wait for a lock: by them, a test that holds the lock detects the other session's arrival."""

from sqlalchemy import text

from patina.db import transaction

_STATEMENT = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


def waiting_count() -> int:
    """Returns how many sessions of the test's database wait for a lock."""
    with transaction() as session:
        return int(session.execute(text(_STATEMENT)).scalar_one())
