"""The roles of the private PostgreSQL: an administrator; and ordinary ones: the database's owner, who migrates it, the
API, and the server's own host. A host that joins gets a role of its own, a member of that host's (role_maker.py).

A superuser may run programs as the server's account (COPY FROM PROGRAM). No password of these roles leaves the state
folder of the server.
"""

from collections.abc import Callable
from typing import LiteralString

import psycopg
from psycopg import sql

from patina_stack import role_maker

ADMIN = "postgres"
APPLICATION = "patina"

# Transfers the tables, with their dependent objects, and the functions.
_GIVE = """
DO $$
DECLARE owned record;
BEGIN
  FOR owned IN SELECT format('ALTER TABLE public.%I OWNER TO patina', tablename) AS command
      FROM pg_tables WHERE schemaname = 'public'
    UNION ALL SELECT format('ALTER FUNCTION %s OWNER TO patina', oid::regprocedure)
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  LOOP
    EXECUTE owned.command;
  END LOOP;
END $$
"""


# Default rights of PUBLIC that no role needs, and that can fill the disk.
_TAKE = """
REVOKE TEMPORARY ON DATABASE patina FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION lo_creat(int), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC
"""


def prepare(*, port: int, admin_password: str, passwords: dict[str, str], earlier_password: str) -> None:
    """Makes missing ordinary roles and the database, and sets the passwords, because a role may have changed its own.
    OperationalError until the server answers.

    A cluster of an earlier version has the application's role as its only superuser, with `earlier_password`: it
    becomes an ordinary one, with everything that it owned.
    """
    try:
        admin = connect_as_admin(port, admin_password)
    except psycopg.OperationalError:
        _make_admin(port, admin_password, earlier_password)
        admin = connect_as_admin(port, admin_password)
    with admin:
        if _has(admin, "SELECT 1 FROM pg_roles WHERE rolname = 'patina' AND rolsuper"):
            with _connect(port, ADMIN, admin_password, APPLICATION) as inside, inside.transaction():
                inside.execute("ALTER ROLE patina RENAME TO patina_before")
                inside.execute("ALTER ROLE patina_before NOLOGIN")
                inside.execute("CREATE ROLE patina")
                inside.execute("ALTER DATABASE patina OWNER TO patina")
                inside.execute(_GIVE)
    make(lambda database: connect_as_admin(port, admin_password, database), passwords)


def make(connect: Callable[[str], psycopg.Connection], passwords: dict[str, str]) -> None:
    """Makes missing ordinary roles and the database, and sets the passwords. `connect` returns a connection of an
    administrator to the database of this name, which commits each statement. OperationalError."""
    with connect("postgres") as admin:
        for role, its_password in passwords.items():
            is_there = _has(admin, "SELECT 1 FROM pg_roles WHERE rolname = %s", role)
            command = sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}" if is_there else "CREATE ROLE {} LOGIN PASSWORD {}")
            admin.execute(_login_as(command, role, its_password))
            admin.execute(sql.SQL("ALTER ROLE {} RESET ALL").format(sql.Identifier(role)))
        if not _has(admin, "SELECT 1 FROM pg_database WHERE datname = 'patina'"):
            # Whatever the cluster has: decision 30 relies on it.
            admin.execute("CREATE DATABASE patina OWNER patina TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
    with connect(APPLICATION) as inside:
        inside.execute(_TAKE)
        role_maker.install(inside)


def connect_as_admin(port: int, password: str, database: str = "postgres") -> psycopg.Connection:
    """Returns a connection that commits each statement."""
    return _connect(port, ADMIN, password, database)


def _make_admin(port: int, admin_password: str, password: str) -> None:
    """Makes the administrator through the application's role, in a cluster where that is the superuser."""
    with _connect(port, APPLICATION, password, "postgres") as before:
        if not _has(before, "SELECT 1 FROM pg_roles WHERE rolname = 'postgres'"):
            before.execute(_login_as(sql.SQL("CREATE ROLE {} SUPERUSER LOGIN PASSWORD {}"), ADMIN, admin_password))


def _connect(port: int, user: str, password: str, database: str) -> psycopg.Connection:
    return psycopg.connect(host="127.0.0.1", port=port, user=user, password=password, dbname=database, autocommit=True)


def _login_as(command: sql.SQL, role: str, password: str) -> sql.Composed:
    return command.format(sql.Identifier(role), sql.Literal(password))


def _has(connection: psycopg.Connection, question: LiteralString, *values: str) -> bool:
    return connection.execute(question, values or None).fetchone() is not None
