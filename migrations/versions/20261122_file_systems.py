"""Runs with xfs and btrfs, and runs that age in memory first: their phase restore, and the memory a host has left

Revision: 0016
Follows: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_PHASES = "'prepare', 'rapid', 'stable', 'materialize', 'capture'"


def _set_phases(phases: str) -> None:
    op.drop_constraint(op.f("ck_run_phase"), "run", type_="check")
    op.create_check_constraint(op.f("ck_run_phase"), "run", f"phase IN ({phases})")


def upgrade() -> None:
    op.add_column("run", sa.Column("in_memory", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.alter_column("run", "in_memory", server_default=None)
    op.add_column("host", sa.Column("memory_free_bytes", sa.BigInteger(), nullable=False, server_default="0"))
    op.alter_column("host", "memory_free_bytes", server_default=None)
    op.create_check_constraint(op.f("ck_run_file_system"), "run", "file_system IN ('ext4', 'xfs', 'btrfs')")
    _set_phases(f"{_PHASES}, 'restore'")


def downgrade() -> None:
    op.execute("UPDATE run SET phase = 'capture' WHERE phase = 'restore'")
    op.execute(
        "UPDATE run_event SET payload = jsonb_set(payload, '{phase}', '\"capture\"') "
        "WHERE payload->>'phase' = 'restore'"
    )
    _set_phases(_PHASES)
    op.drop_constraint(op.f("ck_run_file_system"), "run", type_="check")
    op.drop_column("host", "memory_free_bytes")
    op.drop_column("run", "in_memory")
