"""Modes of aging. Runs from before were aged with unbounded reuse lag, by two threads unless asked otherwise

Revision: 0020
Follows: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("mode", sa.String(), nullable=False, server_default="unbounded"))
    op.alter_column("run", "mode", server_default=None)
    op.create_check_constraint(op.f("ck_run_mode"), "run", "mode IN ('faithful', 'fast', 'reference', 'unbounded')")
    op.alter_column("run", "threads_count", existing_type=sa.Integer(), nullable=True)


def downgrade() -> None:
    op.execute("UPDATE run SET threads_count = 2 WHERE threads_count IS NULL")
    op.alter_column("run", "threads_count", existing_type=sa.Integer(), nullable=False)
    op.drop_constraint(op.f("ck_run_mode"), "run", type_="check")
    op.drop_column("run", "mode")
