"""Access of joined hosts: a role of its own in the database and a user of its own in the broker, for each host.

Only the private services have what this takes: functions that make roles (patina_stack/role_maker.py), and a user of
the broker that may make users. In others every host uses the login of the advertised URL. The roles are kept by the
database, the users by the table host_access: Redis forgets them when it ends.
"""

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import redis
import structlog
from sqlalchemy import delete, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from patina.db import after_commit, take_turn
from patina.errors import PatinaError
from patina.host.models import HostAccess
from patina.queue import EVENT_STREAM, KEY_PREFIX, host_queue, own_keys
from patina.role_names import ACCESS_SCHEMA, API_ROLE, HOST_ROLE
from patina.settings import settings

BrokerUnavailable = PatinaError.of("broker_unavailable", "The broker does not respond", status=503)

# What kombu and the live feed send. A host can neither list keys nor publish.
_COMMANDS = (
    "ping", "select", "multi", "exec", "watch", "unwatch", "brpop", "lpush", "rpush", "rpop", "llen", "type", "del",
    "sadd", "srem", "smembers", "hset", "hget", "hdel", "zadd", "zrem", "xadd",
)  # fmt: skip
_TIMEOUT_S = 5

log = structlog.get_logger()


def give(*, session: Session, host_name: str, urls: dict[str, str]) -> dict[str, str]:
    """Returns the URLs with a login of the host's own, where it can have one. A login that the name had before ends.
    Raises BrokerUnavailable."""
    take_turn(session, f"access of host {host_name}")
    given = dict(urls)
    made = _role(session, "make_role", host_name)
    if made is not None:
        given["DATABASE_URL"] = _with_login(urls["DATABASE_URL"], made.role, made.password)
    password = digest = None
    if _may_make_users():
        password = secrets.token_urlsafe(32)
        digest = hashlib.sha256(password.encode()).hexdigest()
        given["REDIS_URL"] = _with_login(urls["REDIS_URL"], _user(host_name), password)
    if given != urls:
        _store(session, host_name, role_name=made and made.role, broker_digest=digest)
    if digest is not None:
        with _broker() as broker:
            broker.acl_deluser(_user(host_name))  # ends its connections
            _make_user(broker, host_name, digest)
    return given


def end(*, session: Session, host_name: str) -> None:
    """Ends the host's own access, and its connections. Does nothing if it has none. Raises BrokerUnavailable."""
    take_turn(session, f"access of host {host_name}")
    statement = delete(HostAccess).where(HostAccess.host_name == host_name).returning(HostAccess.broker_digest)
    ended = session.execute(statement).one_or_none()
    if ended is None:
        return
    _role(session, "drop_role", host_name)
    if ended.broker_digest is not None and _may_make_users():
        with _broker() as broker:
            broker.acl_deluser(_user(host_name))


def restore_users(*, session: Session) -> None:
    """Makes all hosts' users in the broker: one that has just started has none. Raises BrokerUnavailable."""
    if not _may_make_users():
        return
    of_broker = select(HostAccess.host_name, HostAccess.broker_digest).where(HostAccess.broker_digest.is_not(None))
    with _broker() as broker:
        for host_name, digest in session.execute(of_broker):
            _make_user(broker, host_name, str(digest))


def _store(session: Session, host_name: str, **names: str | None) -> None:
    values = names | {"created_at": text("now()")}
    statement = insert(HostAccess).values(host_name=host_name, **values)
    session.execute(statement.on_conflict_do_update(index_elements=["host_name"], set_=values))


def _role(session: Session, function: str, host_name: str) -> Any:
    """Calls a function of the roles, and ends the sessions of a dropped role after the commit; None where this process
    may not call it. The whole belongs to the transaction."""
    may = session.scalar(
        text(
            "SELECT has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(f.oid, 'EXECUTE') "
            "FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace "
            "WHERE n.nspname = :schema AND f.proname = :function"
        ),
        {"schema": ACCESS_SCHEMA, "function": function},
    )
    if not may:
        return None
    after_commit(session, lambda: _end_sessions(session))
    call = text(f"SELECT * FROM {ACCESS_SCHEMA}.{function}(:host_name)")
    return session.execute(call, {"host_name": host_name}).one()


def _end_sessions(session: Session) -> None:
    try:
        with Session(session.get_bind()) as own:
            own.execute(text(f"SELECT {ACCESS_SCHEMA}.end_sessions()"))
            own.commit()
    except SQLAlchemyError as error:
        log.warning("sessions of dropped roles not ended; they have no rights", error=str(error))


def _with_login(url: str, user: str, password: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=f"{user}:{password}@{parts.netloc.rpartition('@')[2]}").geturl()


def _user(host_name: str) -> str:
    return f"{HOST_ROLE}.{host_name}"


def _may_make_users() -> bool:
    return urlsplit(settings().redis_url).username == API_ROLE


@contextmanager
def _broker() -> Iterator[redis.Redis]:
    try:
        with redis.Redis.from_url(
            settings().redis_url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S
        ) as broker:
            yield broker
    except redis.RedisError as error:
        raise BrokerUnavailable(
            f"The access of hosts cannot be changed: {error}. Try again once the broker responds."
        ) from error


def _make_user(broker: redis.Redis, host_name: str, digest: str) -> None:
    queue = host_queue(host_name)
    keys = [queue, f"_kombu.binding.{queue}", f"_kombu.binding_permanent.{queue}", *own_keys(host_name).values()]
    rules = [f"~{KEY_PREFIX}{key}" for key in keys] + [f"%W~{EVENT_STREAM}"]
    commands = [f"+{command}" for command in _COMMANDS]
    words = ("ACL", "SETUSER", _user(host_name), "reset", "on", f"#{digest}", *rules, *commands)
    broker.execute_command(*words)  # type: ignore[no-untyped-call]
