"""Profiles, hosts, devices with leases, runs with events, images

Revision: 0001
Follows:
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "host",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kernel", sa.String(), nullable=False),
        sa.Column("cores_count", sa.Integer(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.Column("tools", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("device_allow", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host")),
        sa.UniqueConstraint("name", name=op.f("uq_host_name")),
    )
    op.create_table(
        "profile",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("is_builtin", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile")),
        sa.UniqueConstraint("name", name=op.f("uq_profile_name")),
    )
    op.create_table(
        "device",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("host_id", sa.BigInteger(), nullable=False),
        sa.Column("stable_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("medium", sa.String(), nullable=True),
        sa.Column("path", sa.String(), nullable=True),
        sa.Column("model", sa.String(), nullable=True),
        sa.Column("serial", sa.String(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("is_rotational", sa.Boolean(), nullable=False),
        sa.Column(
            "condition",
            sa.String(length=20),
            nullable=False,
        ),
        sa.Column("condition_reason", sa.String(), nullable=True),
        sa.Column("holds", sa.String(), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "condition IN ('creating', 'ready', 'protected', 'removing', 'removed', 'lost', 'failed')",
            name=op.f("ck_device_condition"),
        ),
        sa.CheckConstraint("kind IN ('sandbox', 'attached')", name=op.f("ck_device_kind")),
        sa.CheckConstraint("medium IN ('file', 'memory')", name=op.f("ck_device_medium")),
        sa.CheckConstraint("size_bytes >= 0", name=op.f("ck_device_size_bytes_not_negative")),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_device_host_id_host")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_device")),
        sa.UniqueConstraint("host_id", "stable_id", name=op.f("uq_device_host_id_stable_id")),
    )
    op.create_table(
        "profile_version",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("profile_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("size", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("depth", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("age", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("number >= 1", name=op.f("ck_profile_version_number_positive")),
        sa.ForeignKeyConstraint(["profile_id"], ["profile.id"], name=op.f("fk_profile_version_profile_id_profile")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile_version")),
        sa.UniqueConstraint("profile_id", "number", name=op.f("uq_profile_version_profile_id_number")),
    )
    op.create_table(
        "lease",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("device_id", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("fence", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("acquired_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("released_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["device_id"], ["device.id"], name=op.f("fk_lease_device_id_device")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lease")),
    )
    op.create_index(
        "uq_lease_active_device", "lease", ["device_id"], unique=True, postgresql_where=sa.text("released_at IS NULL")
    )
    op.create_table(
        "run",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("device_id", sa.BigInteger(), nullable=False),
        sa.Column("profile_version_id", sa.BigInteger(), nullable=False),
        sa.Column("lease_id", sa.BigInteger(), nullable=False),
        sa.Column("file_system", sa.String(), nullable=False),
        sa.Column("fullness", sa.Double(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("data_mode", sa.String(), nullable=False),
        sa.Column("threads_count", sa.Integer(), nullable=False),
        sa.Column("max_rmse", sa.Double(), nullable=True),
        sa.Column("max_overwrites", sa.Double(), nullable=True),
        sa.Column("confirmed", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=True),
        sa.Column(
            "state",
            sa.String(length=20),
            nullable=False,
        ),
        sa.Column(
            "phase",
            sa.String(length=20),
            nullable=True,
        ),
        sa.Column(
            "stop_reason",
            sa.String(length=20),
            nullable=True,
        ),
        sa.Column("cancel_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("error_message", sa.String(), nullable=True),
        sa.Column("error_log", sa.String(), nullable=True),
        sa.Column("progress_fraction", sa.Double(), nullable=False),
        sa.Column("eta_s", sa.Double(), nullable=True),
        sa.Column("last_sequence", sa.BigInteger(), nullable=False),
        sa.Column("plan", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("summary", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("recipe", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name=op.f("ck_run_failed_has_code")),
        sa.CheckConstraint(
            "phase IN ('prepare', 'rapid', 'stable', 'materialize', 'capture')", name=op.f("ck_run_phase")
        ),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'paused', 'canceling', 'succeeded', 'failed', 'canceled', 'interrupted')",
            name=op.f("ck_run_state"),
        ),
        sa.CheckConstraint(
            "stop_reason IN ('converged', 'accuracy_reached', 'overwrites_reached', 'time_reached', 'canceled')",
            name=op.f("ck_run_stop_reason"),
        ),
        sa.CheckConstraint("fullness > 0 AND fullness < 1", name=op.f("ck_run_fullness")),
        sa.ForeignKeyConstraint(["device_id"], ["device.id"], name=op.f("fk_run_device_id_device")),
        sa.ForeignKeyConstraint(["lease_id"], ["lease.id"], name=op.f("fk_run_lease_id_lease")),
        sa.ForeignKeyConstraint(
            ["profile_version_id"], ["profile_version.id"], name=op.f("fk_run_profile_version_id_profile_version")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_run_idempotency_key")),
    )
    op.create_index(op.f("ix_run_device_id"), "run", ["device_id"], unique=False)
    op.create_index("ix_run_state", "run", ["state"], unique=False)
    op.create_table(
        "image",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("profile_version_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("file_system", sa.String(), nullable=False),
        sa.Column("fullness", sa.Double(), nullable=False),
        sa.Column("mode", sa.String(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("stored_bytes", sa.BigInteger(), nullable=False),
        sa.Column("index_digest", sa.String(), nullable=False),
        sa.Column("index_name", sa.String(), nullable=False),
        sa.Column("recipe", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("summary", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("capture", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("mode IN ('exact')", name=op.f("ck_image_mode")),
        sa.ForeignKeyConstraint(
            ["profile_version_id"], ["profile_version.id"], name=op.f("fk_image_profile_version_id_profile_version")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_image_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_image")),
        sa.UniqueConstraint("index_name", name=op.f("uq_image_index_name")),
        sa.UniqueConstraint("run_id", name=op.f("uq_image_run_id")),
    )
    op.create_table(
        "run_event",
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint("sequence >= 1", name=op.f("ck_run_event_sequence_positive")),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_run_event_run_id_run")),
        sa.PrimaryKeyConstraint("run_id", "sequence", name=op.f("pk_run_event")),
    )


def downgrade() -> None:
    op.drop_table("run_event")
    op.drop_table("image")
    op.drop_index("ix_run_state", table_name="run")
    op.drop_index(op.f("ix_run_device_id"), table_name="run")
    op.drop_table("run")
    op.drop_index("uq_lease_active_device", table_name="lease", postgresql_where=sa.text("released_at IS NULL"))
    op.drop_table("lease")
    op.drop_table("profile_version")
    op.drop_table("device")
    op.drop_table("profile")
    op.drop_table("host")
