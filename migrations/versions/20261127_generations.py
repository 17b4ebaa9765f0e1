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
    op.add_column("device", sa.Column("generation", sa.String(), nullable=False, server_default=""))
    op.add_column("holding", sa.Column("differs", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.alter_column("holding", "differs", server_default=None)
    # Of a traced device the generation at the end of the trace was not stored.
    op.execute("UPDATE holding SET generation = '' WHERE delta_id IS NOT NULL")
    for table in ("run", "action"):
        op.create_check_constraint(op.f(f"ck_{table}_confirmed_is_object"), table, "jsonb_typeof(confirmed) = 'object'")


def downgrade() -> None:
    for table in ("run", "action"):
        op.drop_constraint(op.f(f"ck_{table}_confirmed_is_object"), table, type_="check")
    op.drop_column("holding", "differs")
    op.drop_column("device", "generation")
