"""The functions by which the API makes and drops the database roles of joined hosts.

The API's role may make no role itself. It may execute these functions, which run as a role without a login, because
before PostgreSQL 16 a role that may make roles may also grant itself the right to run programs of the server. The
schema is the administrator's: the owner of the database cannot change the functions.
"""

import psycopg

from patina.role_names import ACCESS_SCHEMA, API_ROLE, HOST_ROLE

MAKER = "patina_role_maker"

# A name of a host may be longer than that of a role, and have any character: the role is named after its digest.
# Default privileges that a role has given, or was given, would keep it from being dropped: DROP OWNED takes them away.
# Sessions of a dropped role have lost its rights already, and are ended.
_INSTALL = f"""
CREATE SCHEMA IF NOT EXISTS {ACCESS_SCHEMA};
REVOKE ALL ON SCHEMA {ACCESS_SCHEMA} FROM PUBLIC;
GRANT USAGE ON SCHEMA {ACCESS_SCHEMA} TO {API_ROLE}, {MAKER};
GRANT pg_signal_backend TO {MAKER};

CREATE OR REPLACE FUNCTION {ACCESS_SCHEMA}.drop_role(host_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  role text := 'patina_host_' || left(encode(sha256(convert_to(host_name, 'UTF8')), 'hex'), 32);
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
    EXECUTE format('GRANT %I TO {MAKER}', role);
    EXECUTE format('DROP OWNED BY %I', role);
    EXECUTE format('DROP ROLE %I', role);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION {ACCESS_SCHEMA}.make_role(host_name text, OUT role text, OUT password text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET password_encryption = 'scram-sha-256' AS $$
BEGIN
  role := 'patina_host_' || left(encode(sha256(convert_to(host_name, 'UTF8')), 'hex'), 32);
  password := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  PERFORM {ACCESS_SCHEMA}.drop_role(host_name);
  EXECUTE format('CREATE ROLE %I LOGIN PASSWORD %L IN ROLE {HOST_ROLE}', role, password);
  EXECUTE format('COMMENT ON ROLE %I IS %L', role, 'host ' || host_name);
END $$;

CREATE OR REPLACE FUNCTION {ACCESS_SCHEMA}.end_sessions() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE usesysid NOT IN (SELECT oid FROM pg_roles)
$$;
"""
_FUNCTIONS = ("drop_role(text)", "make_role(text)", "end_sessions()")


def install(connection: psycopg.Connection) -> None:
    """Makes the role and its functions, or replaces those of an earlier version. The connection is the administrator's,
    to the application's database."""
    with connection.transaction():
        if connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [MAKER]).fetchone() is None:
            connection.execute(f"CREATE ROLE {MAKER} NOLOGIN CREATEROLE")
        connection.execute(_INSTALL)
        for function in _FUNCTIONS:
            connection.execute(f"ALTER FUNCTION {ACCESS_SCHEMA}.{function} OWNER TO {MAKER}")
            connection.execute(f"REVOKE ALL ON FUNCTION {ACCESS_SCHEMA}.{function} FROM PUBLIC")
            connection.execute(f"GRANT EXECUTE ON FUNCTION {ACCESS_SCHEMA}.{function} TO {API_ROLE}")
