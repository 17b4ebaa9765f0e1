"""The access of joined hosts: given by a join, ended by a removal, on the real services."""

import hashlib
from collections.abc import Callable
from urllib.parse import urlsplit

import psycopg
import pytest
import redis
from psycopg import sql
from sqlalchemy import Engine, create_engine, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from host_rows import REPORT
from joined_hosts import OWN_ROLES, broker_of, connect, fall_silent, join, refuses, remove
from patina.db import engine, transaction
from patina.errors import PatinaError
from patina.host import access, joining
from patina.host import service as host_service
from patina.host.models import HostAccess
from patina.migrate import migrate
from patina.queue import EVENT_STREAM, host_queue
from patina.settings import forget_settings
from patina_dev.testing.wait import wait_until
from patina_stack.services import PrivateServices, free_port


def test_a_host_that_joins_gets_a_role_and_a_user_of_its_own_that_do_a_workers_work(as_api: Engine) -> None:
    first, second = join(as_api, "lab-1"), join(as_api, "lab-2")
    assert first["DATABASE_URL"] != second["DATABASE_URL"]
    assert first["REDIS_URL"] != second["REDIS_URL"]
    made = create_engine(first["DATABASE_URL"])
    with Session(made) as session:
        host = host_service.heartbeat(session=session, name="lab-1", report=REPORT, worker_key="key")
        assert host.name == "lab-1"
        session.commit()
    made.dispose()
    own = f"patina:{host_queue('lab-1')}"
    with broker_of(first) as broker:
        broker.lpush(own, "message")
        assert broker.brpop([own], 1) == (own.encode(), b"message")
        broker.xadd(EVENT_STREAM, {"job_id": 1})


def test_the_list_of_hosts_tells_which_have_an_access_of_their_own(as_api: Engine) -> None:
    join(as_api, "lab-1")
    for name in ("lab-1", "local"):
        fall_silent(name)
    with Session(as_api) as session:
        hosts = host_service.list_hosts(session=session)
        assert {host.name: host.has_own_access for host in hosts} == {"lab-1": True, "local": False}


def test_a_removal_ends_connections_and_refuses_new_ones(as_api: Engine) -> None:
    told, other_told = join(as_api, "lab-1"), join(as_api, "lab-2")
    with connect(told) as host, connect(other_told) as other, broker_of(told) as broker:
        host.execute("SELECT count(*) FROM run")
        broker.ping()
        remove(as_api, "lab-1")
        wait_until("its connection is ended", lambda: _is_ended(host))
        assert refuses(told)
        other.execute("SELECT count(*) FROM run")
        assert broker_of(other_told).ping()
    with transaction() as session:
        assert session.scalars(select(HostAccess.host_name)).all() == ["lab-2"]


def _is_ended(connection: psycopg.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except psycopg.OperationalError:
        return True
    return False


def test_the_connection_of_a_removed_host_has_no_rights_before_it_is_ended(as_api: Engine) -> None:
    told = join(as_api, "lab-1")
    with connect(told) as host:
        host.execute("SELECT count(*) FROM run")
        with as_api.begin() as connection:
            connection.execute(text("SELECT patina_access.drop_role('lab-1')"))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            host.execute("SELECT count(*) FROM run")


def test_a_second_join_under_a_name_ends_the_access_of_the_first(as_api: Engine) -> None:
    first = join(as_api, "lab-1")
    with connect(first) as host:
        second = join(as_api, "lab-1")
        wait_until("the first's connection is ended", lambda: _is_ended(host))
    assert refuses(first)
    connect(second).execute("SELECT count(*) FROM run")
    assert broker_of(second).ping()


def test_a_removed_host_is_back_once_it_has_joined_again(as_api: Engine) -> None:
    join(as_api, "lab-1")
    remove(as_api, "lab-1")
    made = create_engine(join(as_api, "lab-1")["DATABASE_URL"])
    with Session(made) as session:
        host_service.heartbeat(session=session, name="lab-1", report=REPORT)
        session.commit()
    made.dispose()
    with Session(as_api) as session:
        assert [host.name for host in host_service.list_hosts(session=session)] == ["lab-1"]


def test_a_role_whose_rights_it_has_spread_is_dropped_all_the_same(as_api: Engine) -> None:
    first, second = join(as_api, "lab-1"), join(as_api, "lab-2")
    with connect(first) as host, connect(second) as other:
        own, others = sql.Identifier(host.info.user), sql.Identifier(other.info.user)
        for spread in (
            "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC",
            "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO {others}",
            "ALTER ROLE {own} SET statement_timeout = '1s'",
            "ALTER ROLE {own} PASSWORD 'mine'",
        ):
            host.execute(sql.SQL(spread).format(own=own, others=others))
        other.execute(sql.SQL("ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO {}").format(own))
    remove(as_api, "lab-1")
    assert refuses(first)
    remove(as_api, "lab-2")
    with engine().connect() as connection:
        assert connection.scalars(text(OWN_ROLES)).all() == []


def test_a_host_whose_access_has_ended_is_told_to_join_again(as_api: Engine) -> None:
    told = join(as_api, "lab-1")
    remove(as_api, "lab-1")
    made = create_engine(told["DATABASE_URL"])
    with (
        pytest.raises(host_service.HostAccessEnded, match="Join again with a new token") as refused,
        host_service.access_required(),
        Session(made) as session,
    ):
        session.execute(text("SELECT 1"))
    assert refused.value.code == "host_access_ended"
    nowhere = create_engine(f"postgresql+psycopg://patina@127.0.0.1:{free_port()}/patina")
    with pytest.raises(OperationalError), host_service.access_required(), Session(nowhere) as session:
        session.execute(text("SELECT 1"))


def test_a_join_that_does_not_commit_leaves_no_role(as_api: Engine) -> None:
    """As a crash of the API between the two does."""
    with Session(as_api) as session:
        given = access.give(session=session, host_name="lab-1", urls=joining._connections())
        session.rollback()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        connect(given)
    with engine().connect() as connection:
        assert connection.scalars(text(OWN_ROLES)).all() == []
        assert connection.scalars(select(HostAccess.host_name)).all() == []


def test_a_redis_that_forgot_its_users_has_them_again_after_the_next_start(
    as_api: Engine, services: PrivateServices
) -> None:
    told = join(as_api, "lab-1")
    join(as_api, "lab-2")
    remove(as_api, "lab-2")
    services.stop_redis()
    services.start()
    with pytest.raises(redis.AuthenticationError):
        broker_of(told).ping()
    migrate()
    assert broker_of(told).ping()
    with redis.Redis.from_url(services.ports.redis_admin_url) as broker:
        assert [user for user in broker.acl_users() if user.startswith("patina_host.")] == ["patina_host.lab-1"]
    password = urlsplit(told["REDIS_URL"]).password
    assert password is not None
    with transaction() as session:
        stored = session.scalars(select(HostAccess.broker_digest)).one()
    assert stored == hashlib.sha256(password.encode()).hexdigest()


def test_without_the_broker_no_access_is_given_or_ended(as_api: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    told = join(as_api, "lab-1")
    monkeypatch.setenv("REDIS_URL", f"redis://patina_api:x@127.0.0.1:{free_port()}/0")
    forget_settings()
    refused: list[Callable[[], object]] = [lambda: join(as_api, "lab-2"), lambda: remove(as_api, "lab-1")]
    for attempt in refused:
        with pytest.raises(PatinaError) as error:
            attempt()
        assert error.value.code == "broker_unavailable"
    connect(told).execute("SELECT count(*) FROM run")


def test_where_no_roles_can_be_made_a_host_receives_the_login_of_the_url(clean_database: None) -> None:
    """The owner of the tables may not call the functions, and this is not the API's user of Redis."""
    urls = {"DATABASE_URL": "postgresql+psycopg://one:secret@db.lab/patina", "REDIS_URL": "redis://:secret@db.lab/0"}
    with transaction() as session:
        assert access.give(session=session, host_name="lab-1", urls=urls) == urls
        access.end(session=session, host_name="lab-1")
        assert session.scalars(select(HostAccess.host_name)).all() == []
