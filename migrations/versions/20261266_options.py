"""Options of mkfs and mount that a run adds

Revision: 20261266
Follows: 20261263
"""

from alembic import op

revision = "20261266"
down_revision = "20261263"
branch_labels = None
depends_on = None

ADDED = ("added_mkfs_options", "added_mount_options")


def upgrade() -> None:
    for name in ADDED:
        value = f"(settings ->> '{name}')"
        op.create_check_constraint(
            op.f(f"ck_run_setting_{name}"),
            "run",
            f"{value} ~ '^[A-Za-z0-9 ,=:^_.-]*$' AND length({value}) <= 200",
        )


def downgrade() -> None:
    for name in ADDED:
        op.drop_constraint(op.f(f"ck_run_setting_{name}"), "run")
        op.execute(f"UPDATE run SET settings = settings - '{name}'")
