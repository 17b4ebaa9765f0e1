"""The roles of the private PostgreSQL: an administrator, and the application's, which is an ordinary one.

A superuser may run programs as the server's account (COPY FROM PROGRAM), and the password of the application's role is
on every host that has joined. The administrator's password stays in the state folder of the server.
"""

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


def prepare(*, port: int, admin_password: str, password: str) -> None:
    """Make the application's role and its database where they lack. OperationalError until the server answers.

    A cluster of an earlier version has the application's role as its only superuser: it becomes an ordinary one, with
    the same password and everything that it owned.
    """
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
                _make_role(inside, password)
                inside.execute("ALTER DATABASE patina OWNER TO patina")
                inside.execute(_GIVE)
        if not _has(admin, "SELECT 1 FROM pg_roles WHERE rolname = 'patina'"):
            _make_role(admin, password)
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


def _make_role(connection: psycopg.Connection, password: str) -> None:
    connection.execute(_login_as(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}"), APPLICATION, password))


def _login_as(command: sql.SQL, role: str, password: str) -> sql.Composed:
    return command.format(sql.Identifier(role), sql.Literal(password))


def _has(connection: psycopg.Connection, question: str) -> bool:
    return connection.execute(question).fetchone() is not None
