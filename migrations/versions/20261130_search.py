"""Search of the catalog

Revision: 20261130
Follows: 20261129
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "20261130"
down_revision = "20261129"
branch_labels = None
depends_on = None

# All ASCII characters but letters and digits are between words.
WORD_BREAKS = r"[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+"
# The columns of an entry, and their values in the row of the image.
VALUES = {
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
)
FUNCTION = f"""
CREATE FUNCTION enter_image() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    texts text := concat_ws(' ', {", ".join(TEXTS)});
BEGIN
    DELETE FROM image_entry WHERE image_id = new.id;
    IF new.deleted_at IS NULL THEN
        INSERT INTO image_entry ({", ".join(VALUES)}) VALUES ({", ".join(VALUES.values())});
    END IF;
    RETURN NULL;
END
$$
"""
WRITTEN = "name, origin, file_system, recipe, intake, size_bytes, stored_bytes, fullness, deleted_at"


def upgrade() -> None:
    op.create_table(
        "image_entry",
        sa.Column("image_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        *(
            sa.Column(name, sa.String(), nullable=True)
            for name in ("file_system", "profile", "workload", "kernel", "device_model")
        ),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("stored_bytes", sa.BigInteger(), nullable=False),
        sa.Column("fullness", sa.Float(), nullable=True),
        sa.Column("words", TSVECTOR(), nullable=False),
        sa.ForeignKeyConstraint(
            ["image_id"], ["image.id"], name=op.f("fk_image_entry_image_id_image"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("image_id", name=op.f("pk_image_entry")),
    )
    op.create_index("ix_image_entry_words", "image_entry", ["words"], postgresql_using="gin")
    op.execute(FUNCTION)
    op.execute(
        f"CREATE TRIGGER enter_image AFTER INSERT OR UPDATE OF {WRITTEN} ON image "
        "FOR EACH ROW EXECUTE FUNCTION enter_image()"
    )
    op.execute("UPDATE image SET name = name")


def downgrade() -> None:
    op.execute("DROP TRIGGER enter_image ON image")
    op.execute("DROP FUNCTION enter_image")
    op.drop_table("image_entry")
