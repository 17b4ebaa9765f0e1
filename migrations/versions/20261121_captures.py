"""Modes of captures, and the layouts of images

Revision: 0006
Follows: 0005
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_MODES = "IN ('exact', 'allocated', 'metadata')"


def upgrade() -> None:
    op.add_column("run", sa.Column("capture_mode", sa.String(), nullable=False, server_default="exact"))
    op.alter_column("run", "capture_mode", server_default=None)
    op.create_check_constraint(op.f("ck_run_capture_mode"), "run", f"capture_mode {_MODES}")
    op.add_column("image", sa.Column("layout", postgresql.JSONB(astext_type=sa.Text()), nullable=True))
    op.add_column("image", sa.Column("manifest_digest", sa.String(), nullable=True))
    op.drop_constraint(op.f("ck_image_mode"), "image", type_="check")
    op.create_check_constraint(op.f("ck_image_mode"), "image", f"mode {_MODES}")


def downgrade() -> None:
    """The schema before takes every image for exact: what it says of its bytes stays true, they are fewer."""
    op.drop_constraint(op.f("ck_image_mode"), "image", type_="check")
    op.execute("UPDATE image SET mode = 'exact'")
    op.create_check_constraint(op.f("ck_image_mode"), "image", "mode IN ('exact')")
    op.drop_column("image", "manifest_digest")
    op.drop_column("image", "layout")
    op.drop_column("run", "capture_mode")
