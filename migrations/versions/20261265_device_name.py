"""Names and traffic of devices

Revision: 20261265
Follows: 20261264
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261265"
down_revision = "20261264"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("device", sa.Column("name", sa.String()))
    op.add_column("device", sa.Column("traffic", postgresql.JSONB(none_as_null=True)))
    op.create_check_constraint(op.f("ck_device_name"), "device", "char_length(name) BETWEEN 1 AND 60")


def downgrade() -> None:
    op.drop_column("device", "traffic")
    op.drop_column("device", "name")
