"""Deleted images and garbage collections

Revision: 0004
Follows: 0003
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_ACTIVE = sa.text("state IN ('queued', 'running')")


def upgrade() -> None:
    op.add_column("image", sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "collection",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("host_id", sa.BigInteger(), nullable=False),
        sa.Column("is_dry_run", sa.Boolean(), nullable=False),
        sa.Column("grace_s", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("error_message", sa.String(), nullable=True),
        sa.Column("summary", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'succeeded', 'failed', 'interrupted')", name=op.f("ck_collection_state")
        ),
        sa.CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name=op.f("ck_collection_failed_has_code")),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_collection_host_id_host")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collection")),
    )
    op.create_index("uq_collection_active_host", "collection", ["host_id"], unique=True, postgresql_where=_ACTIVE)


def downgrade() -> None:
    op.drop_table("collection")
    op.drop_column("image", "deleted_at")
