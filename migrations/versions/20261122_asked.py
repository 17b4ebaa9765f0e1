"""Runs and actions keep what was asked for, so that an idempotency key stands for all of it; hosts say their quota

Revision: 0019
Follows: 0018
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("run", "action"):
        op.add_column(table, sa.Column("asked", JSONB(), nullable=True))
    # Until its worker has reported, which it does before anything is made there.
    op.add_column("host", sa.Column("sandbox_quota_bytes", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("host", "sandbox_quota_bytes")
    for table in ("action", "run"):
        op.drop_column(table, "asked")
