"""Hosts join by a token, are told apart by a key and can be removed; images say in whose store they lie

Revision: 0017
Follows: 0016
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_HOST_OF_IMAGE = """
UPDATE image SET host_id = host.id FROM run, device, host
WHERE image.run_id = run.id AND run.device_id = device.id AND device.host_id = host.id
"""
_HOST_OF_INTAKE = "UPDATE image SET host_id = host.id FROM host WHERE image.intake ->> 'host' = host.name"


def upgrade() -> None:
    op.create_table(
        "join_token",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("uses_count", sa.Integer(), nullable=False),
        sa.Column("used_count", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name=op.f("ck_join_token_digest")),
        sa.CheckConstraint("uses_count >= 1", name=op.f("ck_join_token_uses_count_positive")),
        sa.CheckConstraint(
            "used_count >= 0 AND used_count <= uses_count", name=op.f("ck_join_token_used_count_within")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_join_token")),
        sa.UniqueConstraint("digest", name=op.f("uq_join_token_digest")),
    )
    op.add_column("host", sa.Column("worker_key", sa.String(), nullable=True))
    op.add_column("host", sa.Column("patina_version", sa.String(), nullable=True))
    op.add_column("host", sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("image", sa.Column("host_id", sa.BigInteger(), nullable=True))
    op.add_column("image", sa.Column("bucket", sa.String(), nullable=True))
    op.create_foreign_key(op.f("fk_image_host_id_host"), "image", "host", ["host_id"], ["id"])
    op.execute(_HOST_OF_IMAGE)
    op.execute(_HOST_OF_INTAKE)


def downgrade() -> None:
    op.drop_constraint(op.f("fk_image_host_id_host"), "image", type_="foreignkey")
    op.drop_column("image", "bucket")
    op.drop_column("image", "host_id")
    for column in ("removed_at", "patina_version", "worker_key"):
        op.drop_column("host", column)
    op.drop_table("join_token")
