"""What a device holds is compared with the device's generation

Revision: 0024
Follows: 0023
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("holding", sa.Column("seen_generation", sa.String(), nullable=True))
    op.add_column("holding", sa.Column("known_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("holding", sa.Column("differs", sa.Boolean(), nullable=False, server_default=sa.false()))
    # Of a traced device the generation at the end of the trace was not stored.
    op.execute("UPDATE holding SET generation = '' WHERE delta_id IS NOT NULL")
    op.execute("UPDATE holding SET seen_generation = generation, known_at = verified_at")
    op.alter_column("holding", "seen_generation", nullable=False)
    op.alter_column("holding", "known_at", nullable=False)
    op.alter_column("holding", "differs", server_default=None)


def downgrade() -> None:
    for column in ("differs", "known_at", "seen_generation"):
        op.drop_column("holding", column)
