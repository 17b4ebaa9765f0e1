"""Who sees profiles and jobs

Revision: 20261260
Follows: 20261256
"""

import sqlalchemy as sa
from alembic import op

revision = "20261260"
down_revision = "20261256"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("profile", sa.Column("account_id", sa.BigInteger()))
    op.create_foreign_key(op.f("fk_profile_account_id_account"), "profile", "account", ["account_id"], ["id"])
    for table in ("profile", "job"):
        op.add_column(table, sa.Column("team_id", sa.BigInteger()))
        op.create_foreign_key(op.f(f"fk_{table}_team_id_team"), table, "team", ["team_id"], ["id"])
        op.add_column(table, sa.Column("visibility", sa.String(20), server_default="everyone", nullable=False))
        op.create_check_constraint(
            op.f(f"ck_{table}_visibility"), table, "visibility IN ('private', 'team', 'everyone')"
        )
        op.create_check_constraint(
            op.f(f"ck_{table}_team_is_named"), table, "(visibility = 'team') = (team_id IS NOT NULL)"
        )
        op.create_check_constraint(
            op.f(f"ck_{table}_private_has_account"), table, "visibility <> 'private' OR account_id IS NOT NULL"
        )
    op.create_check_constraint(
        op.f("ck_profile_builtin_is_seen"), "profile", "NOT is_builtin OR visibility = 'everyone'"
    )
    op.create_index("ix_job_lease_id", "job", ["lease_id"])


def downgrade() -> None:
    op.drop_index("ix_job_lease_id", "job")
    op.drop_constraint(op.f("ck_profile_builtin_is_seen"), "profile")
    for table in ("job", "profile"):
        for name in ("private_has_account", "team_is_named", "visibility"):
            op.drop_constraint(op.f(f"ck_{table}_{name}"), table)
        for name in ("visibility", "team_id"):
            op.drop_column(table, name)
    op.drop_column("profile", "account_id")
