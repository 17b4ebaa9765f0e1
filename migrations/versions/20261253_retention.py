"""Retention rules of teams

Revision: 20261253
Follows: 20261252
"""

import sqlalchemy as sa
from alembic import op

revision = "20261253"
down_revision = "20261252"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "retention_rule",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("team_id", sa.BigInteger(), nullable=False),
        sa.Column("keep_last_count", sa.Integer()),
        sa.Column("expire_after_s", sa.BigInteger()),
        sa.Column("keeps_tagged", sa.Boolean(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.CheckConstraint(
            "num_nonnulls(keep_last_count, expire_after_s) > 0", name=op.f("ck_retention_rule_deletes_something")
        ),
        sa.CheckConstraint("keep_last_count >= 0", name=op.f("ck_retention_rule_keep_last_count_not_negative")),
        sa.CheckConstraint("expire_after_s >= 0", name=op.f("ck_retention_rule_expire_after_s_not_negative")),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_retention_rule_team_id_team"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retention_rule")),
        sa.UniqueConstraint("team_id", name=op.f("uq_retention_rule_team_id")),
    )
    # Of the images shared with a team.
    op.create_index(
        "ix_image_team", "image", ["team_id"], postgresql_where=sa.text("team_id IS NOT NULL AND deleted_at IS NULL")
    )


def downgrade() -> None:
    op.drop_index("ix_image_team", "image")
    op.drop_table("retention_rule")
