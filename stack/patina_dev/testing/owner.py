"""The owner of a test's server, with an access token and a session whose secrets the tests know.

The rows are written directly: a hash of a password takes longer than most tests. Tests of signing in make their own.
"""

import os

import psycopg

NAME = "owner-of-the-tests"
TOKEN = "patina-token-of-the-tests"
SESSION = "patina-session-of-the-tests"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
HEADER_LINE = f"Authorization: Bearer {TOKEN}\r\n".encode()  # of a request as bytes

_OWN = """
WITH owner AS (
  INSERT INTO account (name, role) VALUES (%s, 'owner') RETURNING id
), secret (kind, value) AS (VALUES ('token', %s), ('session', %s))
INSERT INTO credential (account_id, kind, digest, title, role, expires_at)
SELECT owner.id, secret.kind, encode(sha256(secret.value::bytea), 'hex'), 'tests', 'owner', now() + interval '1 year'
FROM owner, secret
"""


def own(database_url: str) -> None:
    """Gives the server of this database its owner, unless it has one; the commands of this process use the token."""
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        if connection.execute("SELECT 1 FROM account").fetchone() is None:
            connection.execute(_OWN, (NAME, TOKEN, SESSION))
    os.environ["PATINA_TOKEN"] = TOKEN
