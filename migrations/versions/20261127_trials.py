"""Trials

Revision: 20261127
Follows: 20261126
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261127"
down_revision = "20261126"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("survivors_bytes", sa.BigInteger(), nullable=True))
    op.create_table(
        "trial",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("settings", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("environment", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.CheckConstraint("jsonb_typeof(settings) = 'object'", name=op.f("ck_trial_settings_is_object")),
        sa.ForeignKeyConstraint(["id"], ["job.id"], name=op.f("fk_trial_id_job")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trial")),
    )
    op.create_table(
        "repetition",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("trial_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("arm", sa.Integer(), nullable=False),
        sa.Column("workload", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column(
            "state",
            sa.Enum("planned", "done", "failed", "skipped", name="repetitionstate", native_enum=False, length=20),
            nullable=False,
        ),
        sa.Column("image_id", sa.BigInteger(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("measurement", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("error_message", sa.String(), nullable=True),
        sa.CheckConstraint("(state = 'done') = (measurement IS NOT NULL)", name=op.f("ck_repetition_done_is_measured")),
        sa.CheckConstraint(
            "(state IN ('failed', 'skipped')) = (error_code IS NOT NULL)", name=op.f("ck_repetition_failed_has_code")
        ),
        sa.CheckConstraint("state IN ('planned', 'done', 'failed', 'skipped')", name=op.f("ck_repetition_state")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_repetition_image_id_image")),
        sa.ForeignKeyConstraint(["trial_id"], ["trial.id"], name=op.f("fk_repetition_trial_id_trial")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_repetition")),
        sa.UniqueConstraint(
            "trial_id", "arm", "workload", "number", name=op.f("uq_repetition_trial_id_arm_workload_number")
        ),
        sa.UniqueConstraint("trial_id", "position", name=op.f("uq_repetition_trial_id_position")),
    )
    op.create_index(op.f("ix_repetition_image_id"), "repetition", ["image_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_repetition_image_id"), table_name="repetition")
    op.drop_table("repetition")
    op.drop_table("trial")
    op.drop_column("run", "survivors_bytes")
