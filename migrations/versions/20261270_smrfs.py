"""Runs may age SMRfs.

Revision: 20261270
Follows: 20261269
"""

from alembic import op

revision = "20261270"
down_revision = "20261269"
branch_labels = None
depends_on = None

BEFORE = ("ext4", "xfs", "btrfs", "ext3", "ext2", "f2fs")


def _require(names: tuple[str, ...]) -> None:
    name = op.f("ck_run_setting_file_system")
    op.drop_constraint(name, "run", type_="check")
    op.create_check_constraint(name, "run", f"(settings ->> 'file_system') IN ({', '.join(map(repr, names))})")


def upgrade() -> None:
    _require((*BEFORE, "smrfs"))


def downgrade() -> None:
    _require(BEFORE)
