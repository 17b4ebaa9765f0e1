"""Events of a run say which one they follow: old samples are thinned out

Revision: 0012
Follows: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run_event", sa.Column("follows", sa.BigInteger(), nullable=True))
    op.execute("UPDATE run_event SET follows = sequence - 1")
    op.alter_column("run_event", "follows", nullable=False)
    op.drop_constraint(op.f("ck_run_event_sequence_positive"), "run_event", type_="check")
    op.create_check_constraint(op.f("ck_run_event_follows_before"), "run_event", "follows >= 0 AND follows < sequence")


def downgrade() -> None:
    op.drop_constraint(op.f("ck_run_event_follows_before"), "run_event", type_="check")
    op.create_check_constraint(op.f("ck_run_event_sequence_positive"), "run_event", "sequence >= 1")
    op.drop_column("run_event", "follows")
