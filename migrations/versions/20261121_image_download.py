"""Digests of downloads

Revision: 0003
Follows: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "image_download",
        sa.Column("image_id", sa.BigInteger(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("etag", sa.String(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("computed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("format IN ('raw', 'raw.zst', 'qcow2')", name=op.f("ck_image_download_format")),
        sa.CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_image_download_sha256")),
        sa.CheckConstraint("size_bytes >= 0", name=op.f("ck_image_download_size_bytes_not_negative")),
        sa.ForeignKeyConstraint(
            ["image_id"], ["image.id"], name=op.f("fk_image_download_image_id_image"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("image_id", "format", name=op.f("pk_image_download")),
    )


def downgrade() -> None:
    op.drop_table("image_download")
