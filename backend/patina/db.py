"""Engine, sessions, transactions, and after-commit hooks."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, DateTime, Engine, Enum, MetaData, create_engine, event, func, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.orm import DeclarativeBase, Session, SessionTransaction, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from patina.settings import settings

PING_AFTER_S = 1.0
NAMING_CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


# Columns that hold a document: an object, a list.
JsonObject = dict[str, Any]
JsonList = list[Any]


class Base(DeclarativeBase):
    """Base of all tables. Timestamps are UTC, documents JSONB."""

    metadata = MetaData(naming_convention=NAMING_CONVENTION)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: DateTime(timezone=True),
        JsonObject: JSONB(none_as_null=True),
        JsonList: JSONB(none_as_null=True),
        # Stored as text; each table lists the values in a CHECK.
        StrEnum: Enum(StrEnum, native_enum=False, length=20, values_callable=lambda e: [m.value for m in e]),
    }


def database_time() -> ColumnElement[datetime]:
    """Returns the database's clock, by which times of different machines are compared: their own may be stepped."""
    return func.clock_timestamp(type_=DateTime(timezone=True))


@lru_cache(maxsize=1)
def engine() -> Engine:
    """Returns the engine of this process."""
    # LIFO: the few connections that do most of the work keep their plans.
    made = create_engine(settings().database_url, pool_size=40, max_overflow=0, pool_use_lifo=True)

    @event.listens_for(made, "checkin")
    def _note(_: object, record: ConnectionPoolEntry) -> None:
        record.info["used_at"] = time.monotonic()

    @event.listens_for(made, "checkout")
    def _ping_after_rest(connection: PoolProxiedConnection, record: ConnectionPoolEntry, _: object) -> None:
        """Pings a rested connection: the database may have restarted. Not each time: a ping costs a query."""
        if time.monotonic() - record.info.get("used_at", 0.0) < PING_AFTER_S:
            return
        try:
            made.dialect.do_ping(connection)
        except made.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error  # the pool tries three more connections

    return made


@lru_cache(maxsize=1)
def session_factory() -> sessionmaker[Session]:
    """Returns a factory of sessions; objects stay readable after commit."""
    return sessionmaker(engine(), expire_on_commit=False)


@lru_cache(maxsize=1)
def read_only_factory() -> sessionmaker[Session]:
    """Returns a factory of read-only sessions: each statement sees the committed data, without BEGIN and COMMIT."""
    return sessionmaker(engine().execution_options(isolation_level="AUTOCOMMIT"), expire_on_commit=False)


@contextmanager
def transaction() -> Iterator[Session]:
    """Yields a session, committed at the end, rolled back on any error. After-commit hooks run last."""
    with session_factory()() as session:
        yield session
        session.commit()


def take_turn(session: Session, name: str) -> None:
    """Serializes transactions that take the same name: waits for the end of an earlier one."""
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))


def after_commit(session: Session, action: Callable[[], None]) -> None:
    """Runs `action` after the commit of `session`'s whole transaction; never after a rollback of it or of the current
    savepoint."""
    _pending(session).append((session.get_nested_transaction(), action))


_Pending = list[tuple[SessionTransaction | None, Callable[[], None]]]


def _pending(session: Session) -> _Pending:
    pending: _Pending = session.info.setdefault("after_commit", [])
    return pending


def _is_within(savepoint: SessionTransaction | None, other: SessionTransaction) -> bool:
    while savepoint is not None and savepoint is not other:
        savepoint = savepoint.parent
    return savepoint is other


# SQLAlchemy emits both events for savepoints too.
@event.listens_for(Session, "after_commit")
def _run_pending(session: Session) -> None:
    ending, pending = session.get_nested_transaction(), _pending(session)
    if ending is not None:  # actions of a released savepoint move to the enclosing one
        outer = ending.parent if ending.parent is not None and ending.parent.nested else None
        pending[:] = [(outer if savepoint is ending else savepoint, action) for savepoint, action in pending]
        return
    actions = [action for _, action in pending]
    pending.clear()
    for action in actions:
        action()


@event.listens_for(Session, "after_rollback")
def _forget_pending(session: Session) -> None:
    ending, pending = session.get_nested_transaction(), _pending(session)
    pending[:] = [] if ending is None else [kept for kept in pending if not _is_within(kept[0], ending)]
