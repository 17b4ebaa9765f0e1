"""Images of OCI archives: imported, with the recipe of their aging

Revision: 20261211
Follows: 20261210
"""

from alembic import op

revision = "20261211"
down_revision = "20261210"
branch_labels = None
depends_on = None


def _replace(table: str, name: str, condition: str) -> None:
    op.drop_constraint(op.f(name), table, type_="check")
    op.create_check_constraint(op.f(name), table, condition)


def upgrade() -> None:
    _replace("intake", "ck_intake_format", "format IN ('raw', 'raw.zst', 'qcow2', 'oci.tar')")
    _replace("image", "ck_image_intake_kind", "intake IS NULL OR intake ->> 'kind' IN ('unaged', 'foreign', 'patina')")
    op.drop_constraint(op.f("ck_image_run_is_whole"), "image", type_="check")
    op.create_check_constraint(
        op.f("ck_image_aging_is_whole"), "image", "num_nulls(fullness, recipe, summary) IN (0, 3)"
    )
    op.create_check_constraint(op.f("ck_image_aged_has_recipe"), "image", "run_id IS NULL OR recipe IS NOT NULL")


def downgrade() -> None:
    """Fails while the catalog has an image of an archive: delete it first."""
    op.drop_constraint(op.f("ck_image_aged_has_recipe"), "image", type_="check")
    op.drop_constraint(op.f("ck_image_aging_is_whole"), "image", type_="check")
    op.create_check_constraint(
        op.f("ck_image_run_is_whole"), "image", "num_nulls(run_id, fullness, recipe, summary) IN (0, 4)"
    )
    _replace("image", "ck_image_intake_kind", "intake IS NULL OR intake ->> 'kind' IN ('unaged', 'foreign')")
    _replace("intake", "ck_intake_format", "format IN ('raw', 'raw.zst', 'qcow2')")
