"""Makes a catalog a team's: accounts in teams, who sees which image, tags and descriptions."""

import os

import psycopg

TOKEN = "patina-token-of-a-member"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
ACCOUNTS_COUNT = 40
TEAMS_COUNT = 8

# Of ten images, two are private and three a team's; one of ten has a tag, one of five a description.
_STATEMENTS = (
    """INSERT INTO account (name, role)
       SELECT 'member-' || number, 'member' FROM generate_series(0, %(accounts)s - 1) number""",
    "INSERT INTO team (name) SELECT 'team-' || number FROM generate_series(0, %(teams)s - 1) number",
    """INSERT INTO membership (team_id, account_id)
       SELECT team.id, account.id
       FROM team JOIN account ON account.id %% %(teams)s IN (team.id - 1, team.id %% %(teams)s)
       WHERE account.name LIKE 'member-%%'""",
    """INSERT INTO credential (account_id, kind, digest, title, role, expires_at)
       SELECT id, 'token', encode(sha256(%(token)s::bytea), 'hex'), 'bench', 'member', now() + interval '1 day'
       FROM account WHERE name = 'member-0'""",
    """UPDATE image SET
         account_id = (SELECT min(id) FROM account WHERE name LIKE 'member-%%') + id * 7 %% %(accounts)s,
         visibility = (ARRAY['private', 'private', 'team', 'team', 'team', 'everyone'])[least(6, 1 + id * 3 %% 10)],
         team_id = CASE WHEN id * 3 %% 10 IN (2, 3, 4) THEN 1 + id %% %(teams)s END,
         description = CASE WHEN id %% 5 = 0 THEN 'Compares *allocators* on ' || name || '.' ELSE '' END""",
    """INSERT INTO image_tag (reference, image_id)
       SELECT 'aged-' || id || ':' || (ARRAY['latest', 'v1', 'v2'])[1 + id %% 3], id FROM image WHERE id %% 10 = 0""",
    "VACUUM FULL ANALYZE",  # as a catalog that grew with these values, not one of which each row was updated
)


def share() -> None:
    """Gives the images of DATABASE_URL to the members."""
    values = {"accounts": ACCOUNTS_COUNT, "teams": TEAMS_COUNT, "token": TOKEN}
    with psycopg.connect(os.environ["DATABASE_URL"].replace("+psycopg", ""), autocommit=True) as connection:
        for statement in _STATEMENTS:
            with psycopg.ClientCursor(connection) as cursor:  # the planner knows the values
                cursor.execute(statement, values)
