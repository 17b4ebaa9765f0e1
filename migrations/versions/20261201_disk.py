"""Disks of hosts

Revision: 20261201
Follows: 20261130
"""

import sqlalchemy as sa
from alembic import op

revision = "20261201"
down_revision = "20261130"
branch_labels = None
depends_on = None

COLUMNS = ("disk_bytes", "disk_free_bytes")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("host", sa.Column(name, sa.BigInteger(), server_default="0", nullable=False))


def downgrade() -> None:
    for name in COLUMNS:
        op.drop_column("host", name)
