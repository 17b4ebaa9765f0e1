"""All tables

Revision: 20261126
Follows:
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261126"
down_revision = None
branch_labels = None
depends_on = None

# A version goes only with its profile: by then the cascade has taken the profile's row away.
_KEEP_VERSION = """
CREATE FUNCTION keep_profile_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    RAISE EXCEPTION 'version % of profile % is immutable', OLD.number, OLD.profile_id
      USING ERRCODE = 'restrict_violation';
  END IF;
  IF EXISTS (SELECT 1 FROM profile WHERE id = OLD.profile_id) THEN
    RAISE EXCEPTION 'version % of profile % goes only with its profile', OLD.number, OLD.profile_id
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$
"""
_TRIGGER = """
CREATE TRIGGER keep_profile_version BEFORE UPDATE OR DELETE ON profile_version
FOR EACH ROW EXECUTE FUNCTION keep_profile_version()
"""


def upgrade() -> None:
    op.create_table(
        "batch",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("asked", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batch")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_batch_idempotency_key")),
    )
    op.create_table(
        "host",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("worker_key", sa.String(), nullable=True),
        sa.Column("patina_version", sa.String(), nullable=True),
        sa.Column("kernel", sa.String(), nullable=False),
        sa.Column("lacks", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("cores_count", sa.Integer(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.Column("memory_free_bytes", sa.BigInteger(), nullable=False),
        sa.Column("tools", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("device_allow", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("scan_folders", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("sandbox_quota_bytes", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host")),
        sa.UniqueConstraint("name", name=op.f("uq_host_name")),
    )
    op.create_table(
        "join_token",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("uses_count", sa.Integer(), nullable=False),
        sa.Column("used_count", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name=op.f("ck_join_token_digest")),
        sa.CheckConstraint(
            "used_count >= 0 AND used_count <= uses_count", name=op.f("ck_join_token_used_count_within")
        ),
        sa.CheckConstraint("uses_count >= 1", name=op.f("ck_join_token_uses_count_positive")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_join_token")),
        sa.UniqueConstraint("digest", name=op.f("uq_join_token_digest")),
    )
    op.create_table(
        "profile",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("is_builtin", sa.Boolean(), nullable=False),
        sa.Column(
            "tags", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), server_default="[]", nullable=False
        ),
        sa.Column("revision", sa.Integer(), server_default="1", nullable=False),
        sa.Column("versions_count", sa.Integer(), server_default="1", nullable=False),
        sa.Column("parent_version_id", sa.BigInteger(), nullable=True),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("jsonb_typeof(tags) = 'array'", name=op.f("ck_profile_tags_is_list")),
        sa.CheckConstraint("name ~ '^[a-z0-9][a-z0-9-]{0,62}$'", name=op.f("ck_profile_name_is_plain")),
        sa.CheckConstraint("NOT is_builtin OR archived_at IS NULL", name=op.f("ck_profile_builtin_not_archived")),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_profile_revision_positive")),
        sa.CheckConstraint("versions_count >= 1", name=op.f("ck_profile_versions_count_positive")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile")),
        sa.UniqueConstraint("name", name=op.f("uq_profile_name")),
    )
    op.create_index(op.f("ix_profile_parent_version_id"), "profile", ["parent_version_id"], unique=False)
    op.create_table(
        "webhook",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("kinds", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("is_enabled", sa.Boolean(), nullable=False),
        sa.Column("disabled_reason", sa.String(), nullable=True),
        sa.Column("busy_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("secret LIKE 'whsec_%%'", name=op.f("ck_webhook_secret")),
        sa.CheckConstraint("url ~ '^https?://'", name=op.f("ck_webhook_url")),
        sa.CheckConstraint(
            "NOT (is_enabled AND disabled_reason IS NOT NULL)", name=op.f("ck_webhook_disabled_has_reason")
        ),
        sa.CheckConstraint("jsonb_array_length(kinds) > 0", name=op.f("ck_webhook_kinds_not_empty")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
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
            sa.Enum(
                "creating",
                "ready",
                "protected",
                "removing",
                "removed",
                "lost",
                "failed",
                name="devicecondition",
                native_enum=False,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("condition_reason", sa.String(), nullable=True),
        sa.Column("facts", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("holds", sa.String(), nullable=True),
        sa.Column("generation", sa.String(), server_default="", nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "condition IN ('creating', 'ready', 'protected', 'removing', 'removed', 'lost', 'failed')",
            name=op.f("ck_device_condition"),
        ),
        sa.CheckConstraint(
            "kind <> 'sandbox' OR stable_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$'",
            name=op.f("ck_device_stable_id_is_file_name"),
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
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("size", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("depth", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("age", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("author <> ''", name=op.f("ck_profile_version_author_not_empty")),
        sa.CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name=op.f("ck_profile_version_digest")),
        sa.CheckConstraint("message <> ''", name=op.f("ck_profile_version_message_not_empty")),
        sa.CheckConstraint("number >= 1", name=op.f("ck_profile_version_number_positive")),
        sa.ForeignKeyConstraint(
            ["profile_id"], ["profile.id"], name=op.f("fk_profile_version_profile_id_profile"), ondelete="CASCADE"
        ),
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
        "job",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("host_id", sa.BigInteger(), nullable=False),
        sa.Column("device_id", sa.BigInteger(), nullable=True),
        sa.Column("lease_id", sa.BigInteger(), nullable=True),
        sa.Column("confirmed", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("request", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=True),
        sa.Column("turn", sa.String(), nullable=True),
        sa.Column("is_automatic", sa.Boolean(), nullable=False),
        sa.Column("resumes_left_count", sa.Integer(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "uploading",
                "queued",
                "running",
                "paused",
                "canceling",
                "succeeded",
                "failed",
                "canceled",
                "interrupted",
                name="jobstate",
                native_enum=False,
                length=20,
            ),
            nullable=False,
        ),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("stop_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("phase", sa.String(), nullable=True),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("done", sa.Double(), nullable=False),
        sa.Column("total", sa.Double(), nullable=True),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("eta_s", sa.Double(), nullable=True),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("error_log", sa.String(), nullable=True),
        sa.Column("result", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("last_sequence", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("touched_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name=op.f("ck_job_failed_has_code")),
        sa.CheckConstraint(
            "device_id IS NULL OR lease_id IS NOT NULL OR state IN ('queued', 'canceled', 'failed')",
            name=op.f("ck_job_waiting_has_no_lease"),
        ),
        sa.CheckConstraint("jsonb_typeof(confirmed) = 'object'", name=op.f("ck_job_confirmed_is_object")),
        sa.CheckConstraint(
            "state IN ('canceled', 'canceling', 'failed', 'interrupted', 'paused', 'queued', 'running', 'succeeded', 'uploading')",
            name=op.f("ck_job_state"),
        ),
        sa.CheckConstraint("(device_id IS NULL) = (confirmed IS NULL)", name=op.f("ck_job_device_is_confirmed")),
        sa.ForeignKeyConstraint(["device_id"], ["device.id"], name=op.f("fk_job_device_id_device")),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_job_host_id_host")),
        sa.ForeignKeyConstraint(["lease_id"], ["lease.id"], name=op.f("fk_job_lease_id_lease")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_job_idempotency_key")),
    )
    op.create_index("ix_job_device_id", "job", ["device_id", "id"], unique=False)
    op.create_index("ix_job_kind", "job", ["kind", "id"], unique=False)
    op.create_index(
        "ix_job_open",
        "job",
        ["host_id"],
        unique=False,
        postgresql_where=sa.text("state NOT IN ('canceled', 'failed', 'succeeded')"),
    )
    op.create_index(
        "uq_job_turn",
        "job",
        ["turn"],
        unique=True,
        postgresql_where=sa.text("state NOT IN ('canceled', 'failed', 'succeeded')"),
    )
    op.create_table(
        "job_event",
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("follows", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column("payload", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint("follows >= 0 AND follows < sequence", name=op.f("ck_job_event_follows_before")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_job_event_job_id_job")),
        sa.PrimaryKeyConstraint("job_id", "sequence", name=op.f("pk_job_event")),
    )
    op.create_table(
        "job_notice",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("uid", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column(
            "kind",
            sa.Enum("succeeded", "failed", "canceled", "needs_you", name="noticekind", native_enum=False, length=20),
            nullable=False,
        ),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("passed_on_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('succeeded', 'failed', 'canceled', 'needs_you')", name=op.f("ck_job_notice_kind")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_job_notice_job_id_job")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_notice")),
        sa.UniqueConstraint("job_id", "sequence", name=op.f("uq_job_notice_job_id_sequence")),
        sa.UniqueConstraint("uid", name=op.f("uq_job_notice_uid")),
    )
    op.create_index(
        "ix_job_notice_to_pass_on", "job_notice", ["id"], unique=False, postgresql_where=sa.text("passed_on_at IS NULL")
    )
    op.create_table(
        "run",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("profile_version_id", sa.BigInteger(), nullable=True),
        sa.Column("extends_id", sa.BigInteger(), nullable=True),
        sa.Column("settings", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("asked_conditions", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("pause_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("batch_id", sa.BigInteger(), nullable=True),
        sa.Column(
            "stop_reason",
            sa.Enum(
                "converged",
                "completed",
                "fullness_missed",
                "accuracy_reached",
                "overwrites_reached",
                "time_reached",
                "canceled",
                name="stopreason",
                native_enum=False,
                length=20,
            ),
            nullable=True,
        ),
        sa.Column("plan", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("summary", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column(
            "age_rmse",
            sa.Double(),
            sa.Computed("(summary #>> '{histograms,age,rmse}')::double precision", persisted=True),
            nullable=True,
        ),
        sa.Column("recipe", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("operation_log_bytes", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "(profile_version_id IS NULL) = (settings ->> 'profile' IS NULL)", name=op.f("ck_run_profile_of_settings")
        ),
        sa.CheckConstraint(
            "(settings ->> 'append_fraction')::numeric >= 0 AND (settings ->> 'append_fraction')::numeric <= 0.9",
            name=op.f("ck_run_setting_append_fraction"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'capture_mode') IN ('exact', 'allocated', 'metadata')",
            name=op.f("ck_run_setting_capture_mode"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'compressible_fraction')::numeric >= 0 AND (settings ->> 'compressible_fraction')::numeric <= 1",
            name=op.f("ck_run_setting_compressible_fraction"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'data_mode') IN ('materialize', 'fallocate', 'write', 'sparse')",
            name=op.f("ck_run_setting_data_mode"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'file_system') IN ('ext4', 'xfs', 'btrfs', 'ext3', 'ext2', 'f2fs')",
            name=op.f("ck_run_setting_file_system"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'fullness')::numeric >= 0.01 AND (settings ->> 'fullness')::numeric <= 0.95",
            name=op.f("ck_run_setting_fullness"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'fullness_of') IN ('files', 'statfs')", name=op.f("ck_run_setting_fullness_of")
        ),
        sa.CheckConstraint("(settings ->> 'max_overwrites')::numeric > 0", name=op.f("ck_run_setting_max_overwrites")),
        sa.CheckConstraint(
            "(settings ->> 'max_rmse')::numeric > 0 AND (settings ->> 'max_rmse')::numeric <= 1",
            name=op.f("ck_run_setting_max_rmse"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'max_seconds')::numeric > 0 AND (settings ->> 'max_seconds')::numeric <= 100000000",
            name=op.f("ck_run_setting_max_seconds"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'mode') IN ('faithful', 'fast', 'reference', 'unbounded')", name=op.f("ck_run_setting_mode")
        ),
        sa.CheckConstraint(
            "(settings ->> 'ops_count')::numeric >= 1 AND (settings ->> 'ops_count')::numeric <= 1000000000000",
            name=op.f("ck_run_setting_ops_count"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'overwrite_fraction')::numeric >= 0 AND (settings ->> 'overwrite_fraction')::numeric <= 0.9",
            name=op.f("ck_run_setting_overwrite_fraction"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'profile_version_number')::numeric >= 1", name=op.f("ck_run_setting_profile_version_number")
        ),
        sa.CheckConstraint(
            "(settings ->> 'punch_hole_fraction')::numeric >= 0 AND (settings ->> 'punch_hole_fraction')::numeric <= 0.9",
            name=op.f("ck_run_setting_punch_hole_fraction"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'rename_fraction')::numeric >= 0 AND (settings ->> 'rename_fraction')::numeric <= 0.9",
            name=op.f("ck_run_setting_rename_fraction"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'rounds_count')::numeric >= 0 AND (settings ->> 'rounds_count')::numeric <= 1000000",
            name=op.f("ck_run_setting_rounds_count"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'seed')::numeric >= 0 AND (settings ->> 'seed')::numeric < 9007199254740992",
            name=op.f("ck_run_setting_seed"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'size_draw') IN ('exact', 'log_uniform')", name=op.f("ck_run_setting_size_draw")
        ),
        sa.CheckConstraint(
            "(settings ->> 'sync_ops')::numeric >= 0 AND (settings ->> 'sync_ops')::numeric <= 1000000000",
            name=op.f("ck_run_setting_sync_ops"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'threads_count')::numeric >= 1 AND (settings ->> 'threads_count')::numeric <= 64",
            name=op.f("ck_run_setting_threads_count"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'truncate_fraction')::numeric >= 0 AND (settings ->> 'truncate_fraction')::numeric <= 0.9",
            name=op.f("ck_run_setting_truncate_fraction"),
        ),
        sa.CheckConstraint(
            "(settings ->> 'workload') IN ('fsfb', 'churn', 'replay')", name=op.f("ck_run_setting_workload")
        ),
        sa.CheckConstraint("jsonb_typeof(settings) = 'object'", name=op.f("ck_run_settings_is_object")),
        sa.CheckConstraint(
            "stop_reason IN ('converged', 'completed', 'fullness_missed', 'accuracy_reached', 'overwrites_reached', 'time_reached', 'canceled')",
            name=op.f("ck_run_stop_reason"),
        ),
        sa.ForeignKeyConstraint(["batch_id"], ["batch.id"], name=op.f("fk_run_batch_id_batch")),
        sa.ForeignKeyConstraint(["extends_id"], ["run.id"], name=op.f("fk_run_extends_id_run")),
        sa.ForeignKeyConstraint(["id"], ["job.id"], name=op.f("fk_run_id_job")),
        sa.ForeignKeyConstraint(
            ["profile_version_id"], ["profile_version.id"], name=op.f("fk_run_profile_version_id_profile_version")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
    )
    op.create_index(op.f("ix_run_batch_id"), "run", ["batch_id"], unique=False)
    op.create_index(op.f("ix_run_extends_id"), "run", ["extends_id"], unique=False)
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("webhook_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=True),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column(
            "state",
            sa.Enum("pending", "delivered", "failed", name="deliverystate", native_enum=False, length=20),
            nullable=False,
        ),
        sa.Column("tries_count", sa.Integer(), nullable=False),
        sa.Column("next_try_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_status", sa.Integer(), nullable=True),
        sa.Column("last_message", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(state = 'pending') = (finished_at IS NULL)", name=op.f("ck_webhook_delivery_pending_has_not_finished")
        ),
        sa.CheckConstraint(
            "(state = 'pending') = (next_try_at IS NOT NULL)", name=op.f("ck_webhook_delivery_pending_has_next_try")
        ),
        sa.CheckConstraint("state IN ('pending', 'delivered', 'failed')", name=op.f("ck_webhook_delivery_state")),
        sa.CheckConstraint("octet_length(body) <= 8192", name=op.f("ck_webhook_delivery_body_bytes")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_webhook_delivery_job_id_job")),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhook.id"], name=op.f("fk_webhook_delivery_webhook_id_webhook"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_delivery")),
        sa.UniqueConstraint("webhook_id", "message_id", name=op.f("uq_webhook_delivery_webhook_id_message_id")),
    )
    op.create_index(
        "ix_webhook_delivery_due",
        "webhook_delivery",
        ["webhook_id", "next_try_at"],
        unique=False,
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_table(
        "image",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column(
            "origin", sa.Enum("aged", "trial", "imported", name="origin", native_enum=False, length=20), nullable=False
        ),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("parent_id", sa.BigInteger(), nullable=True),
        sa.Column("profile_version_id", sa.BigInteger(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("file_system", sa.String(), nullable=True),
        sa.Column("fullness", sa.Double(), nullable=True),
        sa.Column("mode", sa.String(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("stored_bytes", sa.BigInteger(), nullable=False),
        sa.Column("index_digest", sa.String(), nullable=False),
        sa.Column("index_name", sa.String(), nullable=False),
        sa.Column("host_id", sa.BigInteger(), nullable=True),
        sa.Column("bucket", sa.String(), nullable=True),
        sa.Column("recipe", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("summary", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column(
            "age", sa.JSON(), sa.Computed("(summary #> '{histograms,age}')::json", persisted=True), nullable=True
        ),
        sa.Column("workload", sa.String(), sa.Computed("recipe ->> 'workload'", persisted=True), nullable=True),
        sa.Column("intake", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column("capture", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False),
        sa.Column("layout", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.Column(
            "is_readable",
            sa.Boolean(),
            sa.Computed(
                "CASE WHEN mode = 'metadata' OR recipe ->> 'data_mode' = 'sparse' THEN false ELSE (layout #>> '{files,unwritten_blocks_count}')::bigint = 0 END",
                persisted=True,
            ),
            nullable=True,
        ),
        sa.Column("manifest_digest", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(origin = 'trial') = (parent_id IS NOT NULL)", name=op.f("ck_image_trial_has_parent")),
        sa.CheckConstraint(
            "index_name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$'", name=op.f("ck_image_index_name_is_file_name")
        ),
        sa.CheckConstraint(
            "intake IS NULL OR intake ->> 'kind' IN ('unaged', 'foreign')", name=op.f("ck_image_intake_kind")
        ),
        sa.CheckConstraint("mode IN ('exact', 'allocated', 'metadata')", name=op.f("ck_image_mode")),
        sa.CheckConstraint(
            "origin = 'trial' OR (origin = 'aged') = (run_id IS NOT NULL)", name=op.f("ck_image_aged_has_run")
        ),
        sa.CheckConstraint("origin IN ('aged', 'trial', 'imported')", name=op.f("ck_image_origin")),
        sa.CheckConstraint("(run_id IS NULL) = (intake IS NOT NULL)", name=op.f("ck_image_run_or_intake")),
        sa.CheckConstraint(
            "num_nulls(run_id, fullness, recipe, summary) IN (0, 4)", name=op.f("ck_image_run_is_whole")
        ),
        sa.CheckConstraint("run_id IS NULL OR file_system IS NOT NULL", name=op.f("ck_image_aged_has_file_system")),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_image_host_id_host")),
        sa.ForeignKeyConstraint(["parent_id"], ["image.id"], name=op.f("fk_image_parent_id_image")),
        sa.ForeignKeyConstraint(
            ["profile_version_id"], ["profile_version.id"], name=op.f("fk_image_profile_version_id_profile_version")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_image_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_image")),
        sa.UniqueConstraint("index_name", name=op.f("uq_image_index_name")),
        sa.UniqueConstraint("name", name=op.f("uq_image_name")),
    )
    op.create_index(op.f("ix_image_parent_id"), "image", ["parent_id"], unique=False)
    op.create_index(op.f("ix_image_run_id"), "image", ["run_id"], unique=False)
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
        sa.CheckConstraint(
            "file_name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$'", name=op.f("ck_delta_file_name_is_file_name")
        ),
        sa.CheckConstraint("touched_bytes >= 0", name=op.f("ck_delta_touched_bytes_not_negative")),
        sa.ForeignKeyConstraint(["device_id"], ["device.id"], name=op.f("fk_delta_device_id_device")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_delta_image_id_image")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delta")),
        sa.UniqueConstraint("file_name", name=op.f("uq_delta_file_name")),
    )
    op.create_index(op.f("ix_delta_device_id"), "delta", ["device_id"], unique=False)
    op.create_index(op.f("ix_delta_image_id"), "delta", ["image_id"], unique=False)
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
    op.create_table(
        "intake",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("image_id", sa.BigInteger(), nullable=True),
        sa.Column(
            "format", sa.Enum("raw", "raw.zst", "qcow2", name="format", native_enum=False, length=20), nullable=True
        ),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("received_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=True),
        sa.Column("spool_name", sa.String(), nullable=False),
        sa.CheckConstraint("format IN ('raw', 'raw.zst', 'qcow2')", name=op.f("ck_intake_format")),
        sa.CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_intake_sha256")),
        sa.CheckConstraint(
            "spool_name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$'", name=op.f("ck_intake_spool_name_is_file_name")
        ),
        sa.CheckConstraint("received_bytes BETWEEN 0 AND size_bytes", name=op.f("ck_intake_received_bytes_in_range")),
        sa.ForeignKeyConstraint(["id"], ["job.id"], name=op.f("fk_intake_id_job")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_intake_image_id_image")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_intake")),
        sa.UniqueConstraint("spool_name", name=op.f("uq_intake_spool_name")),
    )
    op.create_table(
        "action",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("image_id", sa.BigInteger(), nullable=False),
        sa.Column("delta_id", sa.BigInteger(), nullable=True),
        sa.Column("armed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["delta_id"], ["delta.id"], name=op.f("fk_action_delta_id_delta")),
        sa.ForeignKeyConstraint(["id"], ["job.id"], name=op.f("fk_action_id_job")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_action_image_id_image")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_action")),
    )
    op.create_index(op.f("ix_action_image_id"), "action", ["image_id"], unique=False)
    op.create_table(
        "holding",
        sa.Column("device_id", sa.BigInteger(), nullable=False),
        sa.Column("image_id", sa.BigInteger(), nullable=False),
        sa.Column("delta_id", sa.BigInteger(), nullable=True),
        sa.Column("generation", sa.String(), nullable=False),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("differs", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["delta_id"], ["delta.id"], name=op.f("fk_holding_delta_id_delta")),
        sa.ForeignKeyConstraint(["device_id"], ["device.id"], name=op.f("fk_holding_device_id_device")),
        sa.ForeignKeyConstraint(["image_id"], ["image.id"], name=op.f("fk_holding_image_id_image")),
        sa.PrimaryKeyConstraint("device_id", name=op.f("pk_holding")),
    )
    op.create_index(op.f("ix_holding_image_id"), "holding", ["image_id"], unique=False)
    op.create_foreign_key(
        op.f("fk_profile_parent_version_id_profile_version"),
        "profile",
        "profile_version",
        ["parent_version_id"],
        ["id"],
    )
    op.execute(_KEEP_VERSION)
    op.execute(_TRIGGER)


def downgrade() -> None:
    op.drop_constraint(op.f("fk_profile_parent_version_id_profile_version"), "profile", type_="foreignkey")
    op.execute("DROP TRIGGER keep_profile_version ON profile_version")
    op.execute("DROP FUNCTION keep_profile_version()")
    op.drop_index(op.f("ix_holding_image_id"), table_name="holding")
    op.drop_table("holding")
    op.drop_index(op.f("ix_action_image_id"), table_name="action")
    op.drop_table("action")
    op.drop_table("intake")
    op.drop_table("image_download")
    op.drop_index(op.f("ix_delta_image_id"), table_name="delta")
    op.drop_index(op.f("ix_delta_device_id"), table_name="delta")
    op.drop_table("delta")
    op.drop_index(op.f("ix_image_run_id"), table_name="image")
    op.drop_index(op.f("ix_image_parent_id"), table_name="image")
    op.drop_table("image")
    op.drop_index(
        "ix_webhook_delivery_due", table_name="webhook_delivery", postgresql_where=sa.text("state = 'pending'")
    )
    op.drop_table("webhook_delivery")
    op.drop_index(op.f("ix_run_extends_id"), table_name="run")
    op.drop_index(op.f("ix_run_batch_id"), table_name="run")
    op.drop_table("run")
    op.drop_index("ix_job_notice_to_pass_on", table_name="job_notice", postgresql_where=sa.text("passed_on_at IS NULL"))
    op.drop_table("job_notice")
    op.drop_table("job_event")
    op.drop_index(
        "uq_job_turn", table_name="job", postgresql_where=sa.text("state NOT IN ('canceled', 'failed', 'succeeded')")
    )
    op.drop_index(
        "ix_job_open", table_name="job", postgresql_where=sa.text("state NOT IN ('canceled', 'failed', 'succeeded')")
    )
    op.drop_index("ix_job_kind", table_name="job")
    op.drop_index("ix_job_device_id", table_name="job")
    op.drop_table("job")
    op.drop_index("uq_lease_active_device", table_name="lease", postgresql_where=sa.text("released_at IS NULL"))
    op.drop_table("lease")
    op.drop_table("profile_version")
    op.drop_table("device")
    op.drop_table("webhook")
    op.drop_index(op.f("ix_profile_parent_version_id"), table_name="profile")
    op.drop_table("profile")
    op.drop_table("join_token")
    op.drop_table("host")
    op.drop_table("batch")
