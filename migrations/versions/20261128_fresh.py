"""Fresh file systems

Revision: 20261128
Follows: 20261127
"""

from alembic import op

revision = "20261128"
down_revision = "20261127"
branch_labels = None
depends_on = None

NAME = "ck_run_setting_workload"


def upgrade() -> None:
    op.drop_constraint(op.f(NAME), "run", type_="check")
    op.create_check_constraint(op.f(NAME), "run", "(settings ->> 'workload') IN ('fsfb', 'churn', 'replay', 'fresh')")


def downgrade() -> None:
    op.drop_constraint(op.f(NAME), "run", type_="check")
    op.create_check_constraint(op.f(NAME), "run", "(settings ->> 'workload') IN ('fsfb', 'churn', 'replay')")
