"""Scans of directory trees, and which folders a host lets be scanned

Revision: 0009
Follows: 0008
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_ACTIVE = sa.text("state IN ('queued', 'running', 'canceling')")
_STATES = "'queued', 'running', 'canceling', 'succeeded', 'failed', 'canceled', 'interrupted'"


def upgrade() -> None:
    op.add_column(
        "host",
        sa.Column("scan_folders", postgresql.JSONB(astext_type=sa.Text()), nullable=False, server_default="[]"),
    )
    op.alter_column("host", "scan_folders", server_default=None)
    op.create_table(
        "scan",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("host_id", sa.BigInteger(), nullable=False),
        sa.Column("directory", sa.String(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("progress", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("result", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("error_message", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(f"state IN ({_STATES})", name=op.f("ck_scan_state")),
        sa.CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name=op.f("ck_scan_failed_has_code")),
        sa.CheckConstraint("(state = 'succeeded') = (result IS NOT NULL)", name=op.f("ck_scan_succeeded_has_result")),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_scan_host_id_host")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scan")),
    )
    op.create_index("uq_scan_active_host", "scan", ["host_id"], unique=True, postgresql_where=_ACTIVE)


def downgrade() -> None:
    op.drop_table("scan")
    op.drop_column("host", "scan_folders")
