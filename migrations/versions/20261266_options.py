"""Options of mkfs and mount that a run adds, and an exact number of operations

Revision: 20261266
Follows: 20261265
"""

from alembic import op

revision = "20261266"
down_revision = "20261265"
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
    value = "(settings ->> 'exact_ops_count')::numeric"
    op.create_check_constraint(
        op.f("ck_run_setting_exact_ops_count"), "run", f"{value} >= 1 AND {value} <= 1000000000000"
    )


def downgrade() -> None:
    for name in (*ADDED, "exact_ops_count"):
        op.drop_constraint(op.f(f"ck_run_setting_{name}"), "run")
        op.execute(f"UPDATE run SET settings = settings - '{name}'")
