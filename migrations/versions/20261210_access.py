"""Access of joined hosts

Revision: 20261210
Follows: 20261202
"""

import sqlalchemy as sa
from alembic import op

revision = "20261210"
down_revision = "20261202"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "host_access",
        sa.Column("host_name", sa.String(), nullable=False),
        sa.Column("broker_digest", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("host_name", name="pk_host_access"),
        sa.CheckConstraint("broker_digest ~ '^[0-9a-f]{64}$'", name="ck_host_access_broker_digest"),
    )


def downgrade() -> None:
    op.drop_table("host_access")
