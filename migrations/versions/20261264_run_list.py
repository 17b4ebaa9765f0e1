"""Names, tags and the archive of runs; indexes for the searches of their list

Revision: 20261264
Follows: 20261263
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "20261264"
down_revision = "20261263"
branch_labels = None
depends_on = None

OF_RUNS = sa.text("kind = 'run'")
COMPUTED = {
    "file_system": (sa.String(), "settings ->> 'file_system'"),
    "fullness": (sa.Double(), "(settings ->> 'fullness')::double precision"),
}


def upgrade() -> None:
    op.add_column("run", sa.Column("name", sa.String(), server_default="", nullable=False))
    op.add_column("run", sa.Column("tags", JSONB(none_as_null=True), server_default="[]", nullable=False))
    op.add_column("run", sa.Column("archived_at", sa.DateTime(timezone=True)))
    for name, (kind, expression) in COMPUTED.items():
        op.add_column("run", sa.Column(name, kind, sa.Computed(expression, persisted=True)))
    op.create_check_constraint(op.f("ck_run_tags_is_list"), "run", "jsonb_typeof(tags) = 'array'")
    op.create_index("ix_run_file_system", "run", ["file_system", "id"])
    op.create_index("ix_run_tags", "run", ["tags"], postgresql_using="gin")
    op.create_index("ix_run_archived", "run", ["id"], postgresql_where=sa.text("archived_at IS NOT NULL"))
    op.create_index("ix_run_name", "run", ["name", "id"])
    op.create_index("ix_run_fullness", "run", [sa.text("coalesce(fullness, -1)"), "id"])
    op.create_index("ix_run_age_rmse", "run", [sa.text("coalesce(age_rmse, 2)"), "id"])
    op.create_index("ix_job_host_id", "job", ["host_id", "id"])
    op.create_index("ix_job_run_state", "job", ["state", "id"], postgresql_where=OF_RUNS)
    op.create_index("ix_job_run_created_at", "job", ["created_at", "id"], postgresql_where=OF_RUNS)
    size = sa.text("coalesce((confirmed ->> 'size_bytes')::bigint, 0)")
    op.create_index("ix_job_run_size", "job", [size, "id"], postgresql_where=OF_RUNS)


def downgrade() -> None:
    for name in ("run_size", "run_created_at", "run_state", "host_id"):
        op.drop_index(f"ix_job_{name}", "job")
    for name in ("age_rmse", "fullness", "name", "archived", "tags", "file_system"):
        op.drop_index(f"ix_run_{name}", "run")
    op.drop_constraint(op.f("ck_run_tags_is_list"), "run")
    for name in (*COMPUTED, "archived_at", "tags", "name"):
        op.drop_column("run", name)
