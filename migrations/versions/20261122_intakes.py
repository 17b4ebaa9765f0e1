"""Images that came in as files, and their intakes

Revision: 0007
Follows: 0006
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_OF_RUN: tuple[tuple[str, sa.types.TypeEngine[Any]], ...] = (
    ("run_id", sa.BigInteger()),
    ("profile_version_id", sa.BigInteger()),
    ("file_system", sa.String()),
    ("fullness", sa.Double()),
    ("recipe", postgresql.JSONB(astext_type=sa.Text())),
    ("summary", postgresql.JSONB(astext_type=sa.Text())),
)
_CHECKS = {
    "origin": "origin IN ('aged', 'trial', 'imported')",
    "trial_has_parent": "(origin = 'trial') = (parent_id IS NOT NULL)",
    "aged_has_run": "origin = 'trial' OR (origin = 'aged') = (run_id IS NOT NULL)",
    "run_or_intake": "(run_id IS NULL) = (intake IS NOT NULL)",
    "run_is_whole": "num_nulls(run_id, profile_version_id, fullness, recipe, summary) IN (0, 5)",
    "aged_has_file_system": "run_id IS NULL OR file_system IS NOT NULL",
    "intake_kind": "intake IS NULL OR intake ->> 'kind' IN ('unaged', 'foreign')",
}
_NOT_OF_RUN = "SELECT id FROM image WHERE run_id IS NULL"


def upgrade() -> None:
    op.add_column("image", sa.Column("origin", sa.String(length=20), nullable=True))
    op.execute("UPDATE image SET origin = CASE WHEN parent_id IS NULL THEN 'aged' ELSE 'trial' END")
    op.alter_column("image", "origin", nullable=False)
    op.add_column("image", sa.Column("intake", postgresql.JSONB(astext_type=sa.Text()), nullable=True))
    for column, kind in _OF_RUN:
        op.alter_column("image", column, existing_type=kind, nullable=True)
    # Two captures at one moment could have given one name.
    op.execute(
        "UPDATE image SET name = image.name || '-' || image.id FROM image earlier "
        "WHERE earlier.name = image.name AND earlier.id < image.id"
    )
    op.create_unique_constraint(op.f("uq_image_name"), "image", ["name"])
    for name, condition in _CHECKS.items():
        op.create_check_constraint(op.f(f"ck_image_{name}"), "image", condition)
    op.create_table(
        "intake",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("host_id", sa.BigInteger(), nullable=False),
        sa.Column("image_id", sa.BigInteger(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("file_name", sa.String(), nullable=False),
        sa.Column("format", sa.String(length=20), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("received_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=True),
        sa.Column("spool_name", sa.String(), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("stop_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("done_bytes", sa.BigInteger(), nullable=False),
        sa.Column("total_bytes", sa.BigInteger(), nullable=False),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("error_log", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("touched_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('unaged', 'foreign')", name=op.f("ck_intake_kind")),
        sa.CheckConstraint("format IN ('raw', 'raw.zst', 'qcow2')", name=op.f("ck_intake_format")),
        sa.CheckConstraint(
            "state IN ('uploading', 'queued', 'running', 'canceling', 'succeeded', 'failed', 'canceled', "
            "'interrupted')",
            name=op.f("ck_intake_state"),
        ),
        sa.CheckConstraint("received_bytes BETWEEN 0 AND size_bytes", name=op.f("ck_intake_received_bytes_in_range")),
        sa.CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_intake_sha256")),
        sa.CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name=op.f("ck_intake_failed_has_code")),
        sa.CheckConstraint(
            "(state = 'succeeded') = (image_id IS NOT NULL)", name=op.f("ck_intake_succeeded_has_image")
        ),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_intake_host_id_host")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_intake_image_id_image")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_intake")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_intake_idempotency_key")),
        sa.UniqueConstraint("spool_name", name=op.f("uq_intake_spool_name")),
    )
    op.create_index(
        "uq_intake_open_name",
        "intake",
        ["name"],
        unique=True,
        postgresql_where=sa.text("state NOT IN ('succeeded', 'failed', 'canceled')"),
    )


def downgrade() -> None:
    """Of imported images and what trials made of them nothing is left: the schema before knows none."""
    op.drop_table("intake")
    op.execute(f"DELETE FROM holding WHERE image_id IN ({_NOT_OF_RUN})")
    op.execute(f"DELETE FROM action WHERE image_id IN ({_NOT_OF_RUN})")
    op.execute(f"DELETE FROM delta WHERE image_id IN ({_NOT_OF_RUN})")
    op.execute("DELETE FROM image WHERE run_id IS NULL")
    for name in _CHECKS:
        op.drop_constraint(op.f(f"ck_image_{name}"), "image", type_="check")
    op.drop_constraint(op.f("uq_image_name"), "image", type_="unique")
    for column, kind in _OF_RUN:
        op.alter_column("image", column, existing_type=kind, nullable=False)
    op.drop_column("image", "intake")
    op.drop_column("image", "origin")
