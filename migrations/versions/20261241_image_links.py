"""Links that show one image

Revision: 20261241
Follows: 20261240
"""

import sqlalchemy as sa
from alembic import op

revision = "20261241"
down_revision = "20261240"
branch_labels = None
depends_on = None


def _check_purpose(*purposes: str) -> None:
    op.drop_constraint(op.f("ck_account_link_purpose"), "account_link")
    names = ", ".join(f"'{purpose}'" for purpose in purposes)
    op.create_check_constraint(op.f("ck_account_link_purpose"), "account_link", f"purpose IN ({names})")


def upgrade() -> None:
    op.add_column("account_link", sa.Column("image_id", sa.BigInteger()))
    op.create_foreign_key(
        op.f("fk_account_link_image_id_image"), "account_link", "image", ["image_id"], ["id"], ondelete="CASCADE"
    )
    op.create_index(op.f("ix_account_link_image_id"), "account_link", ["image_id"])
    _check_purpose("owner", "invitation", "entry", "image")
    op.create_check_constraint(
        op.f("ck_account_link_image_is_named"), "account_link", "(purpose = 'image') = (image_id IS NOT NULL)"
    )


def downgrade() -> None:
    op.execute("DELETE FROM account_link WHERE purpose = 'image'")
    op.drop_constraint(op.f("ck_account_link_image_is_named"), "account_link")
    _check_purpose("owner", "invitation", "entry")
    op.drop_column("account_link", "image_id")
