"""Studies, and the results of their cells

Revision: 20261269
Follows: 20261268
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261269"
down_revision = "20261268"
branch_labels = None
depends_on = None

# As in 20261210: a joined host writes its own alone.
TRIGGER = """
CREATE TRIGGER require_own BEFORE INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW
WHEN (session_user LIKE 'patina\\_host\\_%') EXECUTE FUNCTION require_own_{by}()
"""
FUNCTION = """
CREATE FUNCTION require_own_study() RETURNS trigger LANGUAGE plpgsql AS $$
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
HOST = "SELECT h.name FROM public.host h JOIN public.job j ON j.host_id = h.id WHERE j.id = {row}.study_id"


def upgrade() -> None:
    op.create_table(
        "study",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("settings", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.CheckConstraint("jsonb_typeof(settings) = 'object'", name=op.f("ck_study_settings_is_object")),
        sa.ForeignKeyConstraint(["id"], ["job.id"], name=op.f("fk_study_id_job")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study")),
    )
    op.create_table(
        "study_result",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("study_id", sa.BigInteger(), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("summary", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.CheckConstraint("cell >= 0 AND seed >= 1", name=op.f("ck_study_result_is_of_settings")),
        sa.CheckConstraint("jsonb_typeof(summary) = 'object'", name=op.f("ck_study_result_summary_is_object")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_study_result_study_id_study")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study_result")),
        sa.UniqueConstraint("study_id", "cell", "seed", name=op.f("uq_study_result_study_id_cell_seed")),
    )
    op.execute(FUNCTION.format(old=HOST.format(row="old"), new=HOST.format(row="new")))
    op.execute(TRIGGER.format(table="study", by="job"))
    op.execute(TRIGGER.format(table="study_result", by="study"))


def downgrade() -> None:
    op.drop_table("study_result")
    op.drop_table("study")
    op.execute("DROP FUNCTION require_own_study")
