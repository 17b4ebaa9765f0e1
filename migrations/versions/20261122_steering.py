"""Runs that are paused, given other stop conditions, annotated, wait for a device, and go on after an interruption

Revision: 0010
Follows: 0009
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("max_seconds", sa.Float(), nullable=True))
    op.add_column("run", sa.Column("asked_conditions", postgresql.JSONB(astext_type=sa.Text()), nullable=True))
    op.add_column("run", sa.Column("note", sa.String(), nullable=False, server_default=""))
    op.alter_column("run", "note", server_default=None)
    op.add_column("run", sa.Column("resumes_left_count", sa.Integer(), nullable=False, server_default="0"))
    op.alter_column("run", "resumes_left_count", server_default=None)
    op.alter_column("run", "lease_id", nullable=True)
    op.create_check_constraint(
        op.f("ck_run_waiting_has_no_lease"), "run", "lease_id IS NOT NULL OR state IN ('queued', 'canceled', 'failed')"
    )
    op.add_column("run", sa.Column("pause_requested_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_constraint(op.f("ck_run_waiting_has_no_lease"), "run", type_="check")
    op.execute("DELETE FROM run_event WHERE run_id IN (SELECT id FROM run WHERE lease_id IS NULL)")
    op.execute("DELETE FROM run WHERE lease_id IS NULL")
    op.alter_column("run", "lease_id", nullable=False)
    for column in ("pause_requested_at", "resumes_left_count", "note", "asked_conditions", "max_seconds"):
        op.drop_column("run", column)
