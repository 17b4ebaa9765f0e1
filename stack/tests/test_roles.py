"""What the application's role may do to PostgreSQL, and the machine below it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
import redis

from patina_stack import roles
from patina_stack.services import PrivateServices


def _as_application(running: PrivateServices) -> psycopg.Connection:
    return psycopg.connect(running.ports.database_url.replace("+psycopg", ""), autocommit=True)


def _prepare_as_before(*, port: int, admin_password: str, password: str) -> None:
    assert admin_password == password
    with roles.connect_as_admin(port, password) as connection:
        connection.execute("CREATE DATABASE patina")


@pytest.fixture
def private(tmp_path: Path) -> Iterator[PrivateServices]:
    """Not started yet."""
    tmp_path.chmod(0o755)
    (tmp_path / "run").mkdir()
    made = PrivateServices(state_dir=tmp_path, run_dir=tmp_path / "run", survives_power_loss=False)
    yield made
    made.stop()


def test_the_application_can_neither_run_a_program_nor_read_a_file_of_the_server(private: PrivateServices) -> None:
    """Its password is on every host that has joined."""
    private.start()
    with _as_application(private) as connection:
        connection.execute("CREATE TABLE taken (line text)")
        for attack in ("COPY taken FROM PROGRAM 'id'", "COPY taken FROM '/etc/passwd'", "ALTER ROLE patina SUPERUSER"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(attack)


def test_nobody_enters_without_the_password(private: PrivateServices) -> None:
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
        with _as_application(private) as connection:
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
