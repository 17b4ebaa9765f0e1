"""Emulated disks: what was asked, what their hosts report, the last fault, and the predicted time of a run

Revision: 20261268
Follows: 20261267
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261268"
down_revision = "20261267"
branch_labels = None
depends_on = None

COLUMNS = ("emulation", "emulated", "fault")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("device", sa.Column(name, postgresql.JSONB(none_as_null=True)))
    op.add_column("run", sa.Column("prediction", postgresql.JSONB(none_as_null=True)))
    op.create_check_constraint(
        op.f("ck_device_emulation_is_of_sandbox"), "device", "emulation IS NULL OR kind = 'sandbox'"
    )


def downgrade() -> None:
    op.drop_column("run", "prediction")
    for name in reversed(COLUMNS):
        op.drop_column("device", name)
