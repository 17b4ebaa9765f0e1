"""The tests' database: migrated once, and reset to that state for each test.

A test changes a few rows. Deleting those takes two milliseconds; TRUNCATE of every table takes half a second, and a
clone of a template database takes longer too, because both make new files. Triggers and foreign keys are off meanwhile
(session_replication_role), so the order of the tables does not matter.
"""

import time

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from patina_dev.testing.owner import own
from patina_stack import roles
from patina_stack.services import Ports

_PAUSE_S = 0.02
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"

# The schema `pristine` has a copy of each table that holds rows after the migrations.
_KEEP = f"""
DO $$
DECLARE name text; holds_rows boolean;
BEGIN
  CREATE SCHEMA pristine;
  FOR name IN {_TABLES} LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM public.%I)', name) INTO holds_rows;
    IF holds_rows THEN
      EXECUTE format('CREATE TABLE pristine.%I AS TABLE public.%I', name, name);
    END IF;
  END LOOP;
  CREATE TABLE pristine._sequence AS SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public';
END $$
"""

# A table of many pages is truncated: deleted rows stay in its pages until a vacuum.
_RESET = f"""
DO $$
DECLARE name text; holds_rows boolean; sequence record;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN {_TABLES} LOOP
    IF pg_relation_size(format('public.%I', name)::regclass) > 4194304 THEN
      EXECUTE format('TRUNCATE public.%I CASCADE', name);
    ELSE
      EXECUTE format('SELECT EXISTS (SELECT FROM public.%I)', name) INTO holds_rows;
      IF holds_rows THEN
        EXECUTE format('DELETE FROM public.%I', name);
      END IF;
    END IF;
  END LOOP;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'pristine' AND tablename <> '_sequence' LOOP
    EXECUTE format('INSERT INTO public.%I SELECT * FROM pristine.%I', name, name);
  END LOOP;
  FOR sequence IN SELECT was.sequencename, was.last_value
    FROM pristine._sequence was JOIN pg_sequences now USING (sequencename)
    WHERE now.schemaname = 'public' AND now.last_value IS DISTINCT FROM was.last_value
  LOOP
    PERFORM setval(format('public.%I', sequence.sequencename)::regclass,
                   coalesce(sequence.last_value, 1), sequence.last_value IS NOT NULL);
  END LOOP;
END $$
"""


def allow_replica(ports: Ports) -> None:
    """Allows the application's role to restore rows without triggers."""
    with roles.connect_as_admin(ports.postgresql, ports.admin_password) as admin:
        admin.execute("GRANT SET ON PARAMETER session_replication_role TO patina")


def prepare() -> None:
    """Migrates the database that the settings name: tables and built-in profiles. Makes its owner. Saves the rows."""
    from patina.db import engine
    from patina.migrate import migrate
    from patina.settings import settings

    migrate()
    own(settings().database_url)
    with engine().begin() as connection:
        connection.exec_driver_sql(_KEEP.replace("%", "%%"))


def reset(engine: Engine) -> None:
    """Restores the rows and the sequences that `prepare` saved.

    Takes all locks or none: a running application polls for work, and would deadlock with this otherwise.
    """
    while True:
        try:
            with engine.begin() as connection:
                _lock(connection)
                connection.exec_driver_sql(_RESET.replace("%", "%%"))
        except OperationalError as error:
            if getattr(error.orig, "sqlstate", None) != "55P03":  # lock_not_available
                raise
            time.sleep(_PAUSE_S)
        else:
            return


def _lock(connection: Connection) -> None:
    names = ", ".join(f'"{name}"' for name in connection.scalars(text(_TABLES)))
    connection.execute(text(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE NOWAIT"))
