"""Access of joined hosts, which write the rows of their own host alone

Revision: 20261210
Follows: 20261202
"""

import sqlalchemy as sa
from alembic import op

revision = "20261210"
down_revision = "20261202"
branch_labels = None
depends_on = None

# A session of a role that is in host_access is that host's. It cannot read the table: the function can.
OWN_HOST = """
CREATE FUNCTION own_host() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS
$$ SELECT host_name FROM host_access WHERE role_name = session_user $$
"""
# How each table names its host. `r` is the row.
NAMES = {
    "name": "r.name",
    "host": "SELECT name FROM public.host WHERE id = r.host_id",
    "device": "SELECT h.name FROM public.host h JOIN public.device d ON d.host_id = h.id WHERE d.id = r.device_id",
    "job": "SELECT h.name FROM public.host h JOIN public.job j ON j.host_id = h.id WHERE j.id = r.id",
}
TABLES = {
    "host": "name",
    "device": "host",
    "job": "host",
    "lease": "device",
    "run": "job",
    "trial": "job",
    "action": "job",
    "intake": "job",
}
FUNCTION = """
CREATE FUNCTION require_own_{by}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    own text := public.own_host();
BEGIN
    IF TG_OP <> 'INSERT' AND ({old}) IS DISTINCT FROM own OR TG_OP <> 'DELETE' AND ({new}) IS DISTINCT FROM own THEN
        RAISE insufficient_privilege USING MESSAGE =
            format('host %s may not write a row of another host in table %s', own, TG_TABLE_NAME);
    END IF;
    RETURN coalesce(new, old);
END $$
"""
TRIGGER = """
CREATE TRIGGER require_own BEFORE INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW
WHEN (session_user LIKE 'patina\\_host\\_%') EXECUTE FUNCTION require_own_{by}()
"""


def upgrade() -> None:
    op.create_table(
        "host_access",
        sa.Column("host_name", sa.String(), nullable=False),
        sa.Column("role_name", sa.String(), nullable=True),
        sa.Column("broker_digest", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("host_name", name="pk_host_access"),
        sa.UniqueConstraint("role_name", name="uq_host_access_role_name"),
        sa.CheckConstraint("broker_digest ~ '^[0-9a-f]{64}$'", name="ck_host_access_broker_digest"),
    )
    op.execute(OWN_HOST)
    for by, name in NAMES.items():
        op.execute(FUNCTION.format(by=by, old=name.replace("r.", "old."), new=name.replace("r.", "new.")))
    for table, by in TABLES.items():
        op.execute(TRIGGER.format(table=table, by=by))


def downgrade() -> None:
    for table in TABLES:
        op.execute(f"DROP TRIGGER require_own ON {table}")
    for by in NAMES:
        op.execute(f"DROP FUNCTION require_own_{by}")
    op.execute("DROP FUNCTION own_host")
    op.drop_table("host_access")
