"""Teams, and with whom an image is shared

Revision: 20261240
Follows: 20261211
"""

import sqlalchemy as sa
from alembic import op

revision = "20261240"
down_revision = "20261211"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "team",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.CheckConstraint("name ~ '^[a-z0-9][a-z0-9._-]{0,38}$'", name=op.f("ck_team_name")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team")),
        sa.UniqueConstraint("name", name=op.f("uq_team_name")),
    )
    op.create_table(
        "membership",
        sa.Column("team_id", sa.BigInteger(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_membership_team_id_team"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_membership_account_id_account")),
        sa.PrimaryKeyConstraint("team_id", "account_id", name=op.f("pk_membership")),
    )
    op.create_index(op.f("ix_membership_account_id"), "membership", ["account_id"])
    for table in ("job", "image"):
        op.add_column(table, sa.Column("account_id", sa.BigInteger()))
        op.create_foreign_key(op.f(f"fk_{table}_account_id_account"), table, "account", ["account_id"], ["id"])
    op.add_column("image", sa.Column("team_id", sa.BigInteger()))
    op.create_foreign_key(op.f("fk_image_team_id_team"), "image", "team", ["team_id"], ["id"])
    op.add_column("image", sa.Column("visibility", sa.String(20), server_default="everyone", nullable=False))
    op.create_check_constraint(op.f("ck_image_visibility"), "image", "visibility IN ('private', 'team', 'everyone')")
    op.create_check_constraint(op.f("ck_image_team_is_named"), "image", "(visibility = 'team') = (team_id IS NOT NULL)")
    op.create_check_constraint(
        op.f("ck_image_private_has_account"), "image", "visibility <> 'private' OR account_id IS NOT NULL"
    )
    # Few images are not for everyone: a search leaves out those of others among them.
    op.create_index("ix_image_restricted", "image", ["id"], postgresql_where=sa.text("visibility <> 'everyone'"))


def downgrade() -> None:
    op.drop_index("ix_image_restricted", "image")
    for name in ("private_has_account", "team_is_named", "visibility"):
        op.drop_constraint(op.f(f"ck_image_{name}"), "image")
    for name in ("visibility", "team_id"):
        op.drop_column("image", name)
    for table in ("image", "job"):
        op.drop_column(table, "account_id")
    op.drop_table("membership")
    op.drop_table("team")
