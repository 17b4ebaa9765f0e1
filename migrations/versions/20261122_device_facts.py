"""What a worker sees of a device, and when a sandbox device expires

Revision: 0011
Follows: 0010
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("device", sa.Column("facts", postgresql.JSONB(astext_type=sa.Text()), nullable=True))
    op.add_column("device", sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("device", "expires_at")
    op.drop_column("device", "facts")
