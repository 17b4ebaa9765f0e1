"""Links that show a profile, or a job with its results

Revision: 20261263
Follows: 20261262
"""

import sqlalchemy as sa
from alembic import op

revision = "20261263"
down_revision = "20261262"
branch_labels = None
depends_on = None

ADDED = ("profile", "job")


def _check_purpose(*purposes: str) -> None:
    op.drop_constraint(op.f("ck_account_link_purpose"), "account_link")
    names = ", ".join(f"'{purpose}'" for purpose in purposes)
    op.create_check_constraint(op.f("ck_account_link_purpose"), "account_link", f"purpose IN ({names})")


def upgrade() -> None:
    _check_purpose("owner", "invitation", "entry", "image", *ADDED)
    for name in ADDED:
        column = f"{name}_id"
        op.add_column("account_link", sa.Column(column, sa.BigInteger()))
        op.create_foreign_key(
            op.f(f"fk_account_link_{column}_{name}"), "account_link", name, [column], ["id"], ondelete="CASCADE"
        )
        op.create_index(op.f(f"ix_account_link_{column}"), "account_link", [column])
        op.create_check_constraint(
            op.f(f"ck_account_link_{name}_is_named"), "account_link", f"(purpose = '{name}') = ({column} IS NOT NULL)"
        )


def downgrade() -> None:
    op.execute("DELETE FROM account_link WHERE purpose IN ('profile', 'job')")
    for name in ADDED:
        op.drop_constraint(op.f(f"ck_account_link_{name}_is_named"), "account_link")
        op.drop_column("account_link", f"{name}_id")
    _check_purpose("owner", "invitation", "entry", "image")
