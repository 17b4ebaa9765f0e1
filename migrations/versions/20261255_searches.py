"""Saved searches

Revision: 20261255
Follows: 20261254
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "20261255"
down_revision = "20261254"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "saved_search",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("search", JSONB(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_saved_search_account_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_search")),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_saved_search_account_id_name")),
    )


def downgrade() -> None:
    op.drop_table("saved_search")
