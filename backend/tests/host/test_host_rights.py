"""The rights of a joined host: its role in PostgreSQL and its user in Redis, on the real services."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import LiteralString

import psycopg
import pytest
import redis
from fastapi.testclient import TestClient
from psycopg import sql
from sqlalchemy import Engine, create_engine, text, update
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session

from host_rows import REPORT
from joined_hosts import OWN_ROLES, admin, broker_of, connect, join, make_role
from patina.db import Base, engine
from patina.host import access, joining
from patina.host import service as host_service
from patina.host.models import Host
from patina.queue import EVENT_STREAM
from patina_stack.services import PrivateServices
from study_rows import capacity_body

DeviceFactory = Callable[..., int]


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


def test_a_host_asks_who_may_use_a_device_without_reading_accounts(
    as_api: Engine, client: TestClient, make_device: DeviceFactory
) -> None:
    device_id = make_device()
    with connect(join(as_api, "lab-1")) as host:
        for table in ("account", "membership", "team"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                host.execute(sql.SQL("SELECT FROM {}").format(sql.Identifier(table)))
            host.rollback()
        [answer] = host.execute("SELECT may_use_device(NULL, %s)", (device_id,)).fetchall()
    assert answer == (True,)


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


@pytest.mark.parametrize(
    "write",
    [
        "UPDATE host SET kernel = 'other'",
        "UPDATE device SET condition = 'protected'",
        "UPDATE lease SET fence = fence + 1",
        "UPDATE job SET message = 'other'",
        "UPDATE run SET note = 'other'",
        "DELETE FROM run",
        "INSERT INTO lease (device_id, holder, released_at) SELECT id, 'mine', now() FROM device",
        'INSERT INTO job SELECT (jsonb_populate_record(own, \'{"id": 9, "lease_id": null}\')).* FROM job own',
    ],
)
def test_a_host_writes_rows_of_its_own_jobs_and_devices_alone(
    as_api: Engine, client: TestClient, run_id: int, write: LiteralString
) -> None:
    """Every row here is of the host `local`."""
    for name, may in (("lab-1", False), ("local", True)):
        with Session(as_api) as session:
            told = access.give(session=session, host_name=name, urls=joining._connections())
            session.commit()
        with connect(told) as host, host.transaction(force_rollback=True):
            if may:
                assert host.execute(write).rowcount == 1
            else:
                with pytest.raises(psycopg.errors.InsufficientPrivilege, match="host lab-1 may not write a row of"):
                    host.execute(write)


def test_a_host_stores_results_of_its_own_studies_alone(as_api: Engine, client: TestClient, host_id: int) -> None:
    study_id = client.post("/api/v1/studies", json=capacity_body()).json()["id"]
    write: LiteralString = "INSERT INTO study_result (study_id, cell, seed, summary) VALUES (%s, 0, 1, '{}')"
    refused = pytest.raises(psycopg.errors.InsufficientPrivilege, match="host lab-1 may not write a row of")
    for name, answered in (("lab-1", refused), ("local", nullcontext())):
        with Session(as_api) as session:
            told = access.give(session=session, host_name=name, urls=joining._connections())
            session.commit()
        with connect(told) as host, host.transaction(force_rollback=True), answered:
            assert host.execute(write, [study_id]).rowcount == 1


def test_a_host_neither_reports_as_another_nor_gives_it_its_rows(as_api: Engine, make_device: DeviceFactory) -> None:
    make_device()
    told = join(as_api, "lab-1")
    made = create_engine(told["DATABASE_URL"])
    with Session(made) as session:
        with pytest.raises(ProgrammingError, match="may not write a row of another host"):
            host_service.heartbeat(session=session, name="lab-2", report=REPORT)
        session.rollback()
        host_service.heartbeat(session=session, name="lab-1", report=REPORT)
        with pytest.raises(ProgrammingError, match="may not write a row of another host"):
            session.execute(update(Host).where(Host.name == "lab-1").values(name="lab-2"))
    made.dispose()


def test_every_kind_of_job_is_limited_to_its_host(services: PrivateServices) -> None:
    """A migration that adds a table of requests adds its trigger, as 20261210 has them."""
    with engine().connect() as connection:
        limited = set(
            connection.scalars(text("SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'require_own'"))
        )
    requests = {
        table.name
        for table in Base.metadata.sorted_tables
        if any(key.target_fullname == "job.id" for column in table.primary_key for key in column.foreign_keys)
    }
    assert requests - {"job_event"} | {"host", "device", "lease", "job", "study_result"} == limited


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
        assert role not in connection.scalars(text(OWN_ROLES)).all()
        assert other_role in connection.scalars(text(OWN_ROLES)).all()
        assert connection.scalar(text("SELECT 1 FROM pg_roles WHERE rolname = 'patina_api'")) == 1


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
