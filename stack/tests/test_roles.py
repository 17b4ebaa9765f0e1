"""The rights of the roles in PostgreSQL and Redis, and on the machine."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
import redis

from patina.role_names import API_ROLE, HOST_ROLE
from patina_dev.testing.wait import wait_until
from patina_stack import roles
from patina_stack.account import Account
from patina_stack.services import PrivateServices, port_is_free


def _as_application(running: PrivateServices) -> psycopg.Connection:
    return psycopg.connect(running.ports.database_url.replace("+psycopg", ""), autocommit=True)


def _prepare_as_before(*, port: int, admin_password: str, passwords: dict[str, str], earlier_password: str) -> None:
    assert admin_password == earlier_password != passwords[roles.APPLICATION]
    with roles.connect_as_admin(port, admin_password) as connection:
        connection.execute("CREATE DATABASE patina")


@pytest.fixture
def private(tmp_path: Path) -> Iterator[PrivateServices]:
    """Yields services that are not started yet."""
    tmp_path.chmod(0o755)
    (tmp_path / "run").mkdir()
    made = PrivateServices(state_dir=tmp_path, run_dir=tmp_path / "run", survives_power_loss=False)
    yield made
    made.stop()


def test_the_application_can_neither_run_a_program_nor_read_a_file_of_the_server(private: PrivateServices) -> None:
    private.start()
    with _as_application(private) as connection:
        connection.execute("CREATE TABLE taken (line text)")
        for attack in ("COPY taken FROM PROGRAM 'id'", "COPY taken FROM '/etc/passwd'", "ALTER ROLE patina SUPERUSER"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(attack)


def test_no_client_enters_without_the_password(private: PrivateServices) -> None:
    """Every user of the machine reaches the ports."""
    private.start()
    for role in (roles.ADMIN, roles.APPLICATION):
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(host="127.0.0.1", port=private.ports.postgresql, user=role, dbname="patina")
    with pytest.raises(redis.AuthenticationError):
        redis.Redis(port=private.ports.redis).ping()


def test_a_cluster_of_an_earlier_version_keeps_its_rows_and_loses_its_superuser(
    private: PrivateServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports = private.ports
    with monkeypatch.context() as earlier:
        earlier.setattr(roles, "ADMIN", "patina")
        earlier.setattr(roles, "prepare", _prepare_as_before)
        earlier.setattr(private, "ports", replace(ports, admin_password=ports.password))
        private.start()
        with roles.connect_as_admin(ports.postgresql, ports.password, "patina") as connection:
            connection.execute("CREATE TABLE kept (id bigint GENERATED ALWAYS AS IDENTITY, word text)")
            connection.execute("INSERT INTO kept (word) VALUES ('aged')")
            assert connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = 'patina'").fetchone() == (True,)
    for _ in range(2):  # also while it runs, and once more
        private.start()
        with _as_application(private) as connection:
            connection.execute("INSERT INTO kept (word) VALUES ('again')")
            connection.execute("ALTER TABLE kept ADD COLUMN IF NOT EXISTS note text")
            assert connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = 'patina'").fetchone() == (False,)
    with _as_application(private) as connection:
        words = connection.execute("SELECT word FROM kept ORDER BY id").fetchall()
    assert words == [("aged",), ("again",), ("again",)]


@pytest.mark.parametrize(
    "attack",
    [
        "SELECT secret FROM webhook",
        "INSERT INTO join_token (digest, uses_count, used_count, expires_at) VALUES ('mine', 1, 0, now())",
        "UPDATE profile SET title = 'other'",
        "SELECT * FROM image_download",
        "UPDATE alembic_version SET version_num = '0001'",
        "CREATE TABLE public.mine (line text)",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "ALTER TABLE run DROP CONSTRAINT pk_run CASCADE",
        "DROP TABLE run CASCADE",
        "TRUNCATE run CASCADE",
        "SET ROLE patina",
        "CREATE TEMP TABLE mine (line text)",
        "SELECT lo_create(0)",
    ],
)
def test_a_host_that_has_joined_has_no_more_rights_than_its_worker_needs(
    services: PrivateServices, attack: LiteralString
) -> None:
    url = services.ports.host_database_url.replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as host:
        host.execute("SELECT count(*) FROM run")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            host.execute(attack)


def test_a_role_that_locks_itself_out_is_back_with_the_next_start(private: PrivateServices) -> None:
    private.start()
    url = private.ports.host_database_url.replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as host:
        host.execute("ALTER ROLE patina_host SET statement_timeout = '1ms'")
        host.execute("ALTER ROLE patina_host PASSWORD 'other'")
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(url)
    private.start()
    with psycopg.connect(url) as host:
        assert host.execute("SHOW statement_timeout").fetchone() == ("0",)


def test_the_passwords_of_redis_open_nothing_else(private: PrivateServices) -> None:
    private.start()
    passwords = (private.ports.redis_api_password, private.ports.redis_host_password, private.ports.password)
    for role in (roles.ADMIN, roles.APPLICATION, API_ROLE, HOST_ROLE):
        for password in passwords:
            with pytest.raises(psycopg.OperationalError, match="password"):
                psycopg.connect(
                    host="127.0.0.1", port=private.ports.postgresql, user=role, password=password, dbname="patina"
                )


def test_a_password_of_an_earlier_version_which_hosts_have_opens_nothing(private: PrivateServices) -> None:
    private.start()
    for user in ("patina", API_ROLE, HOST_ROLE):
        with pytest.raises(redis.AuthenticationError):
            redis.Redis(port=private.ports.redis, username=user, password=private.ports.password).ping()


def test_the_api_changes_rows_and_no_tables(services: PrivateServices) -> None:
    with psycopg.connect(services.ports.api_database_url.replace("+psycopg", ""), autocommit=True) as api:
        api.execute("DELETE FROM join_token WHERE id = 0")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            api.execute("CREATE TABLE public.mine (line text)")


@pytest.mark.parametrize(
    "attack",
    [
        ("CONFIG", "SET", "bind", "0.0.0.0"),
        ("CONFIG", "SET", "requirepass", "other"),
        ("ACL", "SETUSER", "patina", "allcommands"),
        ("REPLICAOF", "192.0.2.1", "6379"),
        ("MODULE", "LOAD", "/tmp/module.so"),
        ("FLUSHALL",),
        ("EVAL", "return 1", "0"),
        ("FUNCTION", "FLUSH"),
        ("SHUTDOWN", "NOSAVE"),
    ],
    ids=" ".join,
)
def test_the_application_neither_changes_nor_ends_redis(services: PrivateServices, attack: tuple[str, ...]) -> None:
    """Except that the API may make users."""
    urls = [services.ports.redis_url] + [services.ports.api_redis_url] * (attack[0] != "ACL")
    for url in urls:
        with redis.Redis.from_url(url) as client:
            with pytest.raises(redis.ResponseError, match=r"no permissions|not allowed"):
                client.execute_command(*attack)
            assert client.ping()


def test_a_redis_of_an_earlier_version_is_started_again(private: PrivateServices) -> None:
    config = private.state_dir / "redis.conf"
    private.start()
    private.stop_redis()
    config.write_text(f"port {private.ports.redis}\nrequirepass {private.ports.password}\ndir {private.state_dir}\n")
    argv = ["redis-server", str(config)]
    private.redis.start(argv, environment={"PATH": "/usr/bin"}, cwd=private.state_dir)
    wait_until("it takes connections", lambda: not port_is_free(private.ports.redis))
    private.start()
    assert redis.Redis.from_url(private.ports.redis_url).ping()


def test_a_secret_is_not_written_through_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The account that owns the folder could put the link there between the two steps."""
    kept = tmp_path / "shadow"
    kept.write_text("of root")
    monkeypatch.setattr(Path, "unlink", lambda path, **_: path.symlink_to(kept))
    account = Account(folders=(tmp_path,), uid=65_534, gid=65_534, is_dropped=True)
    with pytest.raises(FileExistsError):
        account.write_secret(tmp_path / "secret", "password")
    assert (kept.read_text(), kept.stat().st_uid) == ("of root", os.geteuid())
