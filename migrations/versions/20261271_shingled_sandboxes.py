"""Sandbox devices may be shingled disks.

Revision: 20261271
Follows: 20261270
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261271"
down_revision = "20261270"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("device", sa.Column("shingle", postgresql.JSONB(none_as_null=True)))
    op.create_check_constraint(op.f("ck_device_shingle_is_of_sandbox"), "device", "shingle IS NULL OR kind = 'sandbox'")


def downgrade() -> None:
    op.drop_column("device", "shingle")
