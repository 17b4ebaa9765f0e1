"""Rows give names of files, never paths

Revision: 0023
Follows: 0022
"""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_FILE_NAME = "^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$"
_COLUMNS = {"image": "index_name", "intake": "spool_name", "delta": "file_name"}


def upgrade() -> None:
    for table, column in _COLUMNS.items():
        op.create_check_constraint(op.f(f"ck_{table}_{column}_is_file_name"), table, f"{column} ~ '{_FILE_NAME}'")
    op.create_check_constraint(
        op.f("ck_device_stable_id_is_file_name"), "device", f"kind <> 'sandbox' OR stable_id ~ '{_FILE_NAME}'"
    )


def downgrade() -> None:
    op.drop_constraint(op.f("ck_device_stable_id_is_file_name"), "device", type_="check")
    for table, column in _COLUMNS.items():
        op.drop_constraint(op.f(f"ck_{table}_{column}_is_file_name"), table, type_="check")
