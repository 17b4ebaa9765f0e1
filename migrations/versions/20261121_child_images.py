"""Images of what trials made of images

Revision: 0005
Follows: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_BEFORE = "kind IN ('restore', 'verify', 'trace', 'rollback')"
_AFTER = "kind IN ('restore', 'verify', 'trace', 'rollback', 'capture')"


def upgrade() -> None:
    op.drop_constraint(op.f("uq_image_run_id"), "image", type_="unique")
    op.create_index(op.f("ix_image_run_id"), "image", ["run_id"], unique=False)
    op.add_column("image", sa.Column("parent_id", sa.BigInteger(), nullable=True))
    op.create_foreign_key(op.f("fk_image_parent_id_image"), "image", "image", ["parent_id"], ["id"])
    op.create_index(op.f("ix_image_parent_id"), "image", ["parent_id"], unique=False)
    op.drop_constraint(op.f("ck_action_kind"), "action", type_="check")
    op.create_check_constraint(op.f("ck_action_kind"), "action", _AFTER)


def downgrade() -> None:
    """Of images with a parent nothing is left: the schema before knows none."""
    op.drop_constraint(op.f("ck_action_kind"), "action", type_="check")
    op.execute("DELETE FROM holding WHERE image_id IN (SELECT id FROM image WHERE parent_id IS NOT NULL)")
    op.execute("DELETE FROM action WHERE kind = 'capture'")
    op.execute("DELETE FROM action WHERE image_id IN (SELECT id FROM image WHERE parent_id IS NOT NULL)")
    op.execute("DELETE FROM delta WHERE image_id IN (SELECT id FROM image WHERE parent_id IS NOT NULL)")
    op.create_check_constraint(op.f("ck_action_kind"), "action", _BEFORE)
    op.execute("DELETE FROM image WHERE parent_id IS NOT NULL")
    op.drop_index(op.f("ix_image_parent_id"), table_name="image")
    op.drop_constraint(op.f("fk_image_parent_id_image"), "image", type_="foreignkey")
    op.drop_column("image", "parent_id")
    op.drop_index(op.f("ix_image_run_id"), table_name="image")
    op.create_unique_constraint(op.f("uq_image_run_id"), "image", ["run_id"])
