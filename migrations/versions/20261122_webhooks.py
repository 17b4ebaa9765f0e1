"""Notices of runs, and webhooks that they are posted to

Revision: 0015
Follows: 0014
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "run_notice",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("uid", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("passed_on_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('succeeded', 'failed', 'canceled', 'needs_you')", name=op.f("ck_run_notice_kind")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_run_notice_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_notice")),
        sa.UniqueConstraint("run_id", "sequence", name=op.f("uq_run_notice_run_id_sequence")),
        sa.UniqueConstraint("uid", name=op.f("uq_run_notice_uid")),
    )
    op.create_index("ix_run_notice_to_pass_on", "run_notice", ["id"], postgresql_where=sa.text("passed_on_at IS NULL"))
    op.create_table(
        "webhook",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("kinds", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("is_enabled", sa.Boolean(), nullable=False),
        sa.Column("disabled_reason", sa.String(), nullable=True),
        sa.Column("busy_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("url ~ '^https?://'", name=op.f("ck_webhook_url")),
        sa.CheckConstraint("secret LIKE 'whsec_%'", name=op.f("ck_webhook_secret")),
        sa.CheckConstraint("jsonb_array_length(kinds) > 0", name=op.f("ck_webhook_kinds_not_empty")),
        sa.CheckConstraint(
            "NOT (is_enabled AND disabled_reason IS NOT NULL)", name=op.f("ck_webhook_disabled_has_reason")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
    )
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("webhook_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("tries_count", sa.Integer(), nullable=False),
        sa.Column("next_try_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_status", sa.Integer(), nullable=True),
        sa.Column("last_message", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('pending', 'delivered', 'failed')", name=op.f("ck_webhook_delivery_state")),
        sa.CheckConstraint(
            "(state = 'pending') = (next_try_at IS NOT NULL)", name=op.f("ck_webhook_delivery_pending_has_next_try")
        ),
        sa.CheckConstraint(
            "(state = 'pending') = (finished_at IS NULL)", name=op.f("ck_webhook_delivery_pending_has_not_finished")
        ),
        sa.CheckConstraint("octet_length(body) <= 8192", name=op.f("ck_webhook_delivery_body_bytes")),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhook.id"], name=op.f("fk_webhook_delivery_webhook_id_webhook"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_webhook_delivery_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_delivery")),
        sa.UniqueConstraint("webhook_id", "message_id", name=op.f("uq_webhook_delivery_webhook_id_message_id")),
    )
    op.create_index(
        "ix_webhook_delivery_due",
        "webhook_delivery",
        ["webhook_id", "next_try_at"],
        postgresql_where=sa.text("state = 'pending'"),
    )


def downgrade() -> None:
    op.drop_table("webhook_delivery")
    op.drop_table("webhook")
    op.drop_table("run_notice")
