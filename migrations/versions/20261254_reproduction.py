"""The image that an image reproduces

Revision: 20261254
Follows: 20261253
"""

import sqlalchemy as sa
from alembic import op

revision = "20261254"
down_revision = "20261253"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("image", sa.Column("reproduces_id", sa.BigInteger()))
    op.create_foreign_key(op.f("fk_image_reproduces_id_image"), "image", "image", ["reproduces_id"], ["id"])


def downgrade() -> None:
    op.drop_column("image", "reproduces_id")
