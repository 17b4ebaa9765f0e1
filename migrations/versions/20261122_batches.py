"""Batches: runs on several devices, started together

Revision: 0014
Follows: 0013
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "batch",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("asked", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batch")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_batch_idempotency_key")),
    )
    op.add_column("run", sa.Column("batch_id", sa.BigInteger(), nullable=True))
    op.create_foreign_key(op.f("fk_run_batch_id_batch"), "run", "batch", ["batch_id"], ["id"])
    op.create_index(op.f("ix_run_batch_id"), "run", ["batch_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_run_batch_id"), table_name="run")
    op.drop_constraint(op.f("fk_run_batch_id_batch"), "run", type_="foreignkey")
    op.drop_column("run", "batch_id")
    op.drop_table("batch")
