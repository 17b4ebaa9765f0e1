"""What a run's fullness is of: the data of its files, or all that statfs counts as used

Revision: 0022
Follows: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("fullness_of", sa.String(), server_default="files", nullable=False))
    op.alter_column("run", "fullness_of", server_default=None)
    op.create_check_constraint(op.f("ck_run_fullness_of"), "run", "fullness_of IN ('files', 'statfs')")


def downgrade() -> None:
    op.drop_column("run", "fullness_of")
