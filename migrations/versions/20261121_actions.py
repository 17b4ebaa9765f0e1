"""Actions, deltas, and what devices hold

Revision: 0002
Follows: 0001
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_KINDS = ("restore", "verify", "trace", "rollback")
_STATES = ("queued", "running", "canceling", "succeeded", "failed", "canceled", "interrupted")


def _one_of(column: str, values: tuple[str, ...]) -> str:
    return f"{column} IN ({', '.join(repr(value) for value in values)})"


def upgrade() -> None:
    op.create_table(
        "delta",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("device_id", sa.BigInteger(), nullable=False),
        sa.Column("image_id", sa.BigInteger(), nullable=False),
        sa.Column("file_name", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("incomplete_reason", sa.String(), nullable=True),
        sa.Column("touched_bytes", sa.BigInteger(), nullable=False),
        sa.Column("extents_count", sa.BigInteger(), nullable=False),
        sa.Column("events_count", sa.BigInteger(), nullable=False),
        sa.Column("dropped_count", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("touched_bytes >= 0", name=op.f("ck_delta_touched_bytes_not_negative")),
        sa.ForeignKeyConstraint(["device_id"], ["device.id"], name=op.f("fk_delta_device_id_device")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_delta_image_id_image")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delta")),
        sa.UniqueConstraint("file_name", name=op.f("uq_delta_file_name")),
    )
    op.create_index(op.f("ix_delta_device_id"), "delta", ["device_id"], unique=False)
    op.create_index(op.f("ix_delta_image_id"), "delta", ["image_id"], unique=False)
    op.create_table(
        "holding",
        sa.Column("device_id", sa.BigInteger(), nullable=False),
        sa.Column("image_id", sa.BigInteger(), nullable=False),
        sa.Column("delta_id", sa.BigInteger(), nullable=True),
        sa.Column("generation", sa.String(), nullable=False),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["delta_id"], ["delta.id"], name=op.f("fk_holding_delta_id_delta")),
        sa.ForeignKeyConstraint(["device_id"], ["device.id"], name=op.f("fk_holding_device_id_device")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_holding_image_id_image")),
        sa.PrimaryKeyConstraint("device_id", name=op.f("pk_holding")),
    )
    op.create_index(op.f("ix_holding_image_id"), "holding", ["image_id"], unique=False)
    op.create_table(
        "action",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("device_id", sa.BigInteger(), nullable=False),
        sa.Column("lease_id", sa.BigInteger(), nullable=False),
        sa.Column("image_id", sa.BigInteger(), nullable=False),
        sa.Column("delta_id", sa.BigInteger(), nullable=True),
        sa.Column("confirmed", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("stop_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("armed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("done_bytes", sa.BigInteger(), nullable=False),
        sa.Column("total_bytes", sa.BigInteger(), nullable=False),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("error_log", sa.String(), nullable=True),
        sa.Column("summary", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(_one_of("kind", _KINDS), name=op.f("ck_action_kind")),
        sa.CheckConstraint(_one_of("state", _STATES), name=op.f("ck_action_state")),
        sa.CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name=op.f("ck_action_failed_has_code")),
        sa.ForeignKeyConstraint(["delta_id"], ["delta.id"], name=op.f("fk_action_delta_id_delta")),
        sa.ForeignKeyConstraint(["device_id"], ["device.id"], name=op.f("fk_action_device_id_device")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_action_image_id_image")),
        sa.ForeignKeyConstraint(["lease_id"], ["lease.id"], name=op.f("fk_action_lease_id_lease")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_action")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_action_idempotency_key")),
    )
    op.create_index(op.f("ix_action_device_id"), "action", ["device_id"], unique=False)
    op.create_index(op.f("ix_action_image_id"), "action", ["image_id"], unique=False)
    op.create_index("ix_action_state", "action", ["state"], unique=False)


def downgrade() -> None:
    op.drop_table("action")
    op.drop_table("holding")
    op.drop_table("delta")
