"""Who sees an image, in the table that searches read

Revision: 20261262
Follows: 20261261
"""

import sqlalchemy as sa
from alembic import op

revision = "20261262"
down_revision = "20261261"
branch_labels = None
depends_on = None

WORD_BREAKS = r"[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+"
VALUES_BEFORE = {
    "image_id": "new.id",
    "name": "new.name",
    "origin": "new.origin",
    "file_system": "new.file_system",
    "profile": "new.recipe ->> 'profile'",
    "workload": "new.recipe ->> 'workload'",
    "kernel": "coalesce(new.recipe ->> 'kernel', new.intake ->> 'kernel')",
    "device_model": "new.recipe ->> 'device_model'",
    "size_bytes": "new.size_bytes",
    "stored_bytes": "new.stored_bytes",
    "fullness": "new.fullness",
    "words": f"array_to_tsvector(array_remove(regexp_split_to_array(lower(texts COLLATE \"C\"), '{WORD_BREAKS}'), ''))",
}
SHARING = ("visibility", "account_id", "team_id")
VALUES = VALUES_BEFORE | {name: f"new.{name}" for name in SHARING}
TEXTS = (
    "new.name",
    "new.file_system",
    "new.recipe ->> 'profile'",
    "new.recipe ->> 'workload'",
    "new.recipe ->> 'kernel'",
    "new.recipe ->> 'device_model'",
    "new.recipe ->> 'host'",
    "new.intake ->> 'kernel'",
    "new.intake ->> 'host'",
    "new.intake ->> 'source'",
    "new.intake ->> 'file_name'",
    "array_to_string(new.tags, ' ')",
    "new.description",
)
WRITTEN_BEFORE = (
    "name, origin, file_system, recipe, intake, size_bytes, stored_bytes, fullness, deleted_at, tags, description"
)


def _enter(values: dict[str, str], written: str) -> None:
    op.execute(f"""
CREATE OR REPLACE FUNCTION enter_image() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    texts text := concat_ws(' ', {", ".join(TEXTS)});
BEGIN
    DELETE FROM image_entry WHERE image_id = new.id;
    IF new.deleted_at IS NULL THEN
        INSERT INTO image_entry ({", ".join(values)}) VALUES ({", ".join(values.values())});
    END IF;
    RETURN NULL;
END
$$
""")
    op.execute("DROP TRIGGER enter_image ON image")
    op.execute(
        f"CREATE TRIGGER enter_image AFTER INSERT OR UPDATE OF {written} ON image "
        "FOR EACH ROW EXECUTE FUNCTION enter_image()"
    )


def upgrade() -> None:
    op.add_column("image_entry", sa.Column("visibility", sa.String(20)))
    op.add_column("image_entry", sa.Column("account_id", sa.BigInteger()))
    op.add_column("image_entry", sa.Column("team_id", sa.BigInteger()))
    op.execute(
        "UPDATE image_entry SET (visibility, account_id, team_id) = (image.visibility, image.account_id, image.team_id) "
        "FROM image WHERE image.id = image_id"
    )
    op.alter_column("image_entry", "visibility", nullable=False)
    op.drop_index("ix_image_restricted", "image")
    _enter(VALUES, f"{WRITTEN_BEFORE}, {', '.join(SHARING)}")


def downgrade() -> None:
    _enter(VALUES_BEFORE, WRITTEN_BEFORE)
    op.create_index("ix_image_restricted", "image", ["id"], postgresql_where=sa.text("visibility <> 'everyone'"))
    for name in SHARING:
        op.drop_column("image_entry", name)
