"""The access of joined hosts: roles of their own in PostgreSQL, users of their own in Redis, on the real services."""

import hashlib
from collections.abc import Callable, Iterator
from typing import LiteralString
from urllib.parse import urlsplit

import psycopg
import pytest
import redis
from psycopg import sql
from sqlalchemy import Engine, create_engine, func, select, text, update
from sqlalchemy.orm import Session

from host_rows import REPORT
from patina.db import engine, transaction
from patina.errors import PatinaError
from patina.host import access, joining
from patina.host import service as host_service
from patina.host.models import Host, HostAccess
from patina.host.schemas import JoinCreate, JoinTokenCreate
from patina.migrate import migrate
from patina.queue import EVENT_STREAM, host_queue
from patina.settings import forget_settings
from patina.use_case.remove_host import remove_host
from patina_dev.testing.wait import wait_until
from patina_stack import roles
from patina_stack.services import PrivateServices, free_port

Login = dict[str, str]
_DROP_OWN_ROLES = """
SELECT patina_access.drop_role(substr(shobj_description(oid, 'pg_authid'), 6)) FROM pg_roles
WHERE rolname ~ '^patina_host_'
"""
_OWN_ROLES = "SELECT rolname FROM pg_roles WHERE rolname ~ '^patina_host_'"


@pytest.fixture
def as_api(services: PrivateServices, clean_database: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Yields an engine of the API's role. The settings name the API's user of Redis, and addresses for other hosts."""
    ports = services.ports
    monkeypatch.setenv("REDIS_URL", ports.api_redis_url)
    for name, url in ports.advertised("0.0.0.0").items():  # this machine, by an address that is not on loopback
        monkeypatch.setenv(f"PATINA_ADVERTISED_{name}", url)
    forget_settings()
    made = create_engine(ports.api_database_url)
    yield made
    made.dispose()
    with admin(services) as connection:
        connection.execute(_DROP_OWN_ROLES)
    with redis.Redis.from_url(ports.redis_admin_url) as broker:
        for user in broker.acl_users():
            if user.startswith("patina_host."):
                broker.acl_deluser(user)
    monkeypatch.undo()
    forget_settings()


def admin(services: PrivateServices) -> psycopg.Connection:
    return roles.connect_as_admin(services.ports.postgresql, services.ports.admin_password, "patina")


def join(api: Engine, name: str) -> Login:
    with transaction() as session:
        token = joining.make_token(session=session, create=JoinTokenCreate(), base_url="http://127.0.0.1").token
    with Session(api) as session:
        told = joining.join(session=session, create=JoinCreate(token=token, name=name)).environment
        session.commit()
    return told


def connect(told: Login) -> psycopg.Connection:
    return psycopg.connect(told["DATABASE_URL"].replace("+psycopg", ""), autocommit=True)


def broker_of(told: Login) -> redis.Redis:
    return redis.Redis.from_url(told["REDIS_URL"])


def make_role(api: Engine, name: str) -> tuple[str, str]:
    with api.begin() as connection:
        role, password = connection.execute(text("SELECT * FROM patina_access.make_role(:name)"), {"name": name}).one()
    return role, password


def fall_silent(name: str) -> int:
    """Makes the host silent; makes its row, if it has none."""
    with transaction() as session:
        host = host_service.heartbeat(session=session, name=name, report=REPORT, worker_key=None)
        session.execute(update(Host).values(heartbeat_at=func.now() - text("interval '1 hour'")))
        return host.id


def remove(api: Engine, name: str) -> None:
    host_id = fall_silent(name)
    with Session(api) as session:
        remove_host(session=session, host_id=host_id)
        session.commit()


def refuses(told: Login) -> bool:
    """Returns whether neither service lets the host in."""
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        connect(told)
    with pytest.raises(redis.AuthenticationError):
        broker_of(told).ping()
    return True


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


@pytest.mark.parametrize(
    "attack",
    [
        "SELECT secret FROM webhook",
        "SELECT digest FROM join_token",
        "SELECT broker_digest FROM host_access",
        "INSERT INTO host_access (host_name) VALUES ('lab-9')",
        "UPDATE profile SET title = 'other'",
        "SELECT rolpassword FROM pg_authid",
        "CREATE TABLE public.mine (line text)",
        "CREATE TEMP TABLE mine (line text)",
        "CREATE SCHEMA mine",
        "CREATE ROLE mine",
        "SELECT patina_access.make_role('lab-2')",
        "SELECT patina_access.drop_role('lab-2')",
        "SELECT patina_access.end_sessions()",
        "SET ROLE patina_api",
        "SET ROLE patina_role_maker",
        "GRANT patina_host TO patina_api",
        "COPY run TO PROGRAM 'id'",
    ],
)
def test_the_role_of_a_host_can_do_no_more_than_a_worker(as_api: Engine, attack: LiteralString) -> None:
    told = join(as_api, "lab-1")
    with connect(told) as host:
        host.execute("SELECT count(*) FROM run")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            host.execute(attack)


def test_a_host_neither_changes_the_role_of_another_nor_ends_its_connections(as_api: Engine) -> None:
    first, second = join(as_api, "lab-1"), join(as_api, "lab-2")
    with connect(first) as host, connect(second) as other:
        names = {"own": sql.Identifier(host.info.user), "other": sql.Identifier(other.info.user)}
        for attack in (
            "ALTER ROLE {other} PASSWORD 'mine'",
            "ALTER ROLE {other} SET role = 'x'",
            "DROP ROLE {other}",
            "SET ROLE {other}",
            "GRANT {own} TO {other}",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                host.execute(sql.SQL(attack).format(**names))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            host.execute("SELECT pg_terminate_backend(%s)", [other.info.backend_pid])


def test_the_api_makes_roles_of_hosts_and_no_others(as_api: Engine, services: PrivateServices) -> None:
    for attack in (
        "CREATE ROLE mine",
        "ALTER ROLE patina_api SUPERUSER",
        "SET ROLE patina_role_maker",
        "GRANT patina TO patina_api",
        "CREATE OR REPLACE FUNCTION patina_access.drop_role(text) RETURNS void LANGUAGE sql AS ''",
    ):
        with (
            psycopg.connect(services.ports.api_database_url.replace("+psycopg", ""), autocommit=True) as api,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            api.execute(attack)
    role, _ = make_role(as_api, "patina")
    assert role.startswith("patina_host_")
    with admin(services) as connection:
        found = connection.execute(
            "SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, "
            "array(SELECT m.roleid::regrole::text FROM pg_auth_members m WHERE m.member = r.oid) "
            "FROM pg_roles r WHERE rolname = %s",
            [role],
        ).fetchone()
    assert found == (False, False, False, False, False, ["patina_host"])


def test_a_function_runs_nothing_that_its_caller_has_put_into_its_way(as_api: Engine) -> None:
    """The settings of the caller, such as the search path, have no effect inside."""
    with as_api.begin() as connection:
        connection.execute(text("SET search_path = pg_temp, public; SET password_encryption = 'md5'"))
        role, _ = connection.execute(text("SELECT * FROM patina_access.make_role('lab-1')")).one()
    with engine().connect() as connection:
        assert connection.scalar(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role}) == 1


@pytest.mark.parametrize(
    "name", ["O'Brien", 'a"b', "'; DROP ROLE patina_api; --", "x" * 63, "x" * 200, "Zürich-über-Straße", "%I", "$$", ""]
)
def test_any_name_makes_a_role_that_logs_in_and_goes(as_api: Engine, services: PrivateServices, name: str) -> None:
    role, password = make_role(as_api, name)
    other_role, _ = make_role(as_api, f"{name}y")
    assert role != other_role
    url = {"host": "127.0.0.1", "port": services.ports.postgresql, "dbname": "patina"}
    with psycopg.connect(**url, user=role, password=password) as host:  # type: ignore[arg-type]
        host.execute("SELECT count(*) FROM run")
    with as_api.begin() as connection:
        connection.execute(text("SELECT patina_access.drop_role(:name)"), {"name": name})
    with engine().connect() as connection:
        assert role not in connection.scalars(text(_OWN_ROLES)).all()
        assert other_role in connection.scalars(text(_OWN_ROLES)).all()
        assert connection.scalar(text("SELECT 1 FROM pg_roles WHERE rolname = 'patina_api'")) == 1


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
        assert connection.scalars(text(_OWN_ROLES)).all() == []


def test_a_join_that_does_not_commit_leaves_no_role(as_api: Engine) -> None:
    """As a crash of the API between the two does."""
    with Session(as_api) as session:
        given = access.give(session=session, host_name="lab-1", urls=joining._connections())
        session.rollback()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        connect(given)
    with engine().connect() as connection:
        assert connection.scalars(text(_OWN_ROLES)).all() == []
        assert connection.scalars(select(HostAccess.host_name)).all() == []


@pytest.mark.parametrize(
    "attack",
    [
        ("BRPOP", "patina:host.lab-2", "1"),
        ("LPUSH", "patina:host.lab-2", "message"),
        ("LPUSH", "patina:host.lab-1.other", "message"),
        ("SADD", "patina:_kombu.binding.host.lab-2", "mine"),
        ("DEL", "patina:unacked.host.lab-2"),
        ("XREAD", "STREAMS", EVENT_STREAM, "0"),
        ("XRANGE", EVENT_STREAM, "-", "+"),
        ("XDEL", EVENT_STREAM, "1-1"),
        ("DEL", EVENT_STREAM, "host.lab-2"),
        ("SCAN", "0"),
        ("PUBLISH", "any", "message"),
        ("SUBSCRIBE", "any"),
        ("ACL", "SETUSER", "patina_host.lab-2", "nopass"),
        ("ACL", "LIST"),
        ("CLIENT", "LIST"),
        ("CONFIG", "GET", "*"),
        ("FLUSHDB",),
        ("EVAL", "return 1", "0"),
    ],
    ids=" ".join,
)
def test_the_user_of_a_host_has_its_own_keys_alone(as_api: Engine, attack: tuple[str, ...]) -> None:
    told = join(as_api, "lab-1")
    with broker_of(told) as broker, pytest.raises(redis.exceptions.NoPermissionError):
        broker.execute_command(*attack)


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
