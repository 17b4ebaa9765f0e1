"""The roles of the private PostgreSQL: an administrator; and ordinary ones: the database's owner, who migrates it, the
API, and the hosts.

A superuser may run programs as the server's account (COPY FROM PROGRAM), and the password of the hosts' role is on
every host that has joined. The administrator's and the owner's stay in the state folder of the server.
"""

from typing import LiteralString

import psycopg
from psycopg import sql

ADMIN = "postgres"
APPLICATION = "patina"

# Everything of the schema that tables do not bring along, and the tables.
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


def prepare(*, port: int, admin_password: str, passwords: dict[str, str]) -> None:
    """Make the ordinary roles and the database where they lack. OperationalError until the server answers.

    A cluster of an earlier version has the application's role as its only superuser: it becomes an ordinary one, with
    the same password and everything that it owned.
    """
    password = passwords[APPLICATION]
    try:
        admin = connect_as_admin(port, admin_password)
    except psycopg.OperationalError:
        _make_admin(port, admin_password, password)
        admin = connect_as_admin(port, admin_password)
    with admin:
        if _has(admin, "SELECT 1 FROM pg_roles WHERE rolname = 'patina' AND rolsuper"):
            with _connect(port, ADMIN, admin_password, APPLICATION) as inside, inside.transaction():
                inside.execute("ALTER ROLE patina RENAME TO patina_before")
                inside.execute("ALTER ROLE patina_before NOLOGIN")
                inside.execute(_login_as(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}"), APPLICATION, password))
                inside.execute("ALTER DATABASE patina OWNER TO patina")
                inside.execute(_GIVE)
        for role, its_password in passwords.items():
            if not _has(admin, "SELECT 1 FROM pg_roles WHERE rolname = %s", role):
                admin.execute(_login_as(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}"), role, its_password))
        if not _has(admin, "SELECT 1 FROM pg_database WHERE datname = 'patina'"):
            admin.execute("CREATE DATABASE patina OWNER patina")


def connect_as_admin(port: int, password: str) -> psycopg.Connection:
    """A connection that commits each statement."""
    return _connect(port, ADMIN, password, "postgres")


def _make_admin(port: int, admin_password: str, password: str) -> None:
    """By the application's role, in a cluster where it is the superuser."""
    with _connect(port, APPLICATION, password, "postgres") as before:
        if not _has(before, "SELECT 1 FROM pg_roles WHERE rolname = 'postgres'"):
            before.execute(_login_as(sql.SQL("CREATE ROLE {} SUPERUSER LOGIN PASSWORD {}"), ADMIN, admin_password))


def _connect(port: int, user: str, password: str, database: str) -> psycopg.Connection:
    return psycopg.connect(host="127.0.0.1", port=port, user=user, password=password, dbname=database, autocommit=True)


def _login_as(command: sql.SQL, role: str, password: str) -> sql.Composed:
    return command.format(sql.Identifier(role), sql.Literal(password))


def _has(connection: psycopg.Connection, question: LiteralString, *values: str) -> bool:
    return connection.execute(question, values or None).fetchone() is not None
