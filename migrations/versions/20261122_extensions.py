"""Runs that go on from a finished one

Revision: 0013
Follows: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("extends_id", sa.BigInteger(), nullable=True))
    op.create_foreign_key(op.f("fk_run_extends_id_run"), "run", "run", ["extends_id"], ["id"])
    op.create_index(op.f("ix_run_extends_id"), "run", ["extends_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_run_extends_id"), "run")
    op.drop_constraint(op.f("fk_run_extends_id_run"), "run", type_="foreignkey")
    op.drop_column("run", "extends_id")
