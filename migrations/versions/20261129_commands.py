"""Commands of hosts

Revision: 20261129
Follows: 20261128
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261129"
down_revision = "20261128"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "host",
        sa.Column(
            "commands", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), server_default="[]", nullable=False
        ),
    )


def downgrade() -> None:
    op.drop_column("host", "commands")
