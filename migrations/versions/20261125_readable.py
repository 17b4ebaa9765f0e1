"""Whether an image's files can be read from the disk; runs that missed their fullness

Revision: 0021
Follows: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_IS_READABLE = (
    "CASE WHEN mode = 'metadata' OR recipe ->> 'data_mode' = 'sparse' THEN false "
    "ELSE (layout #>> '{files,unwritten_blocks_count}')::bigint = 0 END"
)


_STOP_REASONS = "'accuracy_reached', 'overwrites_reached', 'time_reached', 'canceled'"


def upgrade() -> None:
    op.drop_constraint(op.f("ck_run_stop_reason"), "run", type_="check")
    op.create_check_constraint(
        op.f("ck_run_stop_reason"), "run", f"stop_reason IN ('converged', 'fullness_missed', {_STOP_REASONS})"
    )
    op.add_column("image", sa.Column("is_readable", sa.Boolean(), sa.Computed(_IS_READABLE, persisted=True)))


def downgrade() -> None:
    op.execute("UPDATE run SET stop_reason = 'converged' WHERE stop_reason = 'fullness_missed'")
    op.drop_constraint(op.f("ck_run_stop_reason"), "run", type_="check")
    op.create_check_constraint(op.f("ck_run_stop_reason"), "run", f"stop_reason IN ('converged', {_STOP_REASONS})")
    op.drop_column("image", "is_readable")
