"""The right to delete from the bucket: one collection of all hosts. A lock in the database, which ends with its holder.

Captures do not exclude a collection. They put their index into the bucket first, which every later collection keeps,
and then wait for one that may have begun before: `wait_for_collections`.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from patina.core.failure import Stopped
from patina.db import engine
from patina_worker.failure import BucketLockLost

_KEY = 0x7061_7469_6E61_0001  # "patina", 1: the key of this advisory lock
_PAUSE_S = 0.5

log = structlog.get_logger()


class CollectionLock:
    """A lock that is held while its connection lives."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def check(self) -> None:
        """Raises BucketLockLost when another host may hold the lock by now."""
        try:
            self._connection.execute(text("SELECT 1"))
        except OperationalError as error:
            raise BucketLockLost(
                "The connection to the database broke, so another host may collect by now: nothing more was deleted "
                "in the bucket. The next collection goes on."
            ) from error


@contextmanager
def _held(how: str, check: Callable[[], bool]) -> Iterator[Connection]:
    with engine().connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        while not connection.scalar(text(f"SELECT pg_try_advisory_lock{how}(:key)"), {"key": _KEY}):
            if check():
                raise Stopped("Stopped while it waited for a garbage collection of the bucket.")
            time.sleep(_PAUSE_S)
        try:
            yield connection
        finally:
            connection.invalidate()  # closed, not returned to the pool: the lock ends with it


@contextmanager
def collecting(check: Callable[[], bool]) -> Iterator[CollectionLock]:
    """Excludes deletions from the bucket by other hosts."""
    with _held("", check) as connection:
        yield CollectionLock(connection)


def wait_for_collections(check: Callable[[], bool]) -> None:
    """Waits until a collection that had begun is over, and for an unavailable database. Stopped when `check` asks."""
    while True:
        try:
            with _held("_shared", check):
                return
        except OperationalError as error:
            log.warning("database away; trying again", error=str(error.orig))
            if check():
                raise Stopped("Stopped while it waited for the database.") from error
            time.sleep(_PAUSE_S)
