"""Names of images that change, tags, descriptions, protection

Revision: 20261252
Follows: 20261241
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "20261252"
down_revision = "20261241"
branch_labels = None
depends_on = None

TAG_PATTERN = r"^([a-z0-9][a-z0-9._-]{0,38}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}:[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$"
WORD_BREAKS = r"[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+"
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
TEXTS_BEFORE = (
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
TEXTS = (*TEXTS_BEFORE, "array_to_string(new.tags, ' ')", "new.description")
WRITTEN_BEFORE = "name, origin, file_system, recipe, intake, size_bytes, stored_bytes, fullness, deleted_at"
COPY_TAGS = """
CREATE FUNCTION copy_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE image SET tags = ARRAY(SELECT reference FROM image_tag WHERE image_id = image.id ORDER BY reference)
    WHERE (TG_OP <> 'INSERT' AND id = old.image_id) OR (TG_OP <> 'DELETE' AND id = new.image_id);
    RETURN NULL;
END
$$
"""


def _enter(texts: tuple[str, ...]) -> str:
    return f"""
CREATE OR REPLACE FUNCTION enter_image() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    texts text := concat_ws(' ', {", ".join(texts)});
BEGIN
    DELETE FROM image_entry WHERE image_id = new.id;
    IF new.deleted_at IS NULL THEN
        INSERT INTO image_entry ({", ".join(VALUES)}) VALUES ({", ".join(VALUES.values())});
    END IF;
    RETURN NULL;
END
$$
"""


def _trigger(written: str) -> None:
    op.execute("DROP TRIGGER enter_image ON image")
    op.execute(
        f"CREATE TRIGGER enter_image AFTER INSERT OR UPDATE OF {written} ON image "
        "FOR EACH ROW EXECUTE FUNCTION enter_image()"
    )


def upgrade() -> None:
    op.add_column("image", sa.Column("published_name", sa.String()))
    op.execute("UPDATE image SET published_name = name")
    op.alter_column("image", "published_name", nullable=False)
    op.add_column("image", sa.Column("tags", ARRAY(sa.String()), server_default="{}", nullable=False))
    op.add_column("image", sa.Column("description", sa.String(), server_default="", nullable=False))
    op.add_column("image", sa.Column("is_protected", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_index(op.f("ix_image_index_digest"), "image", ["index_digest"])
    op.create_index(op.f("ix_image_manifest_digest"), "image", ["manifest_digest"])
    op.create_table(
        "image_tag",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("reference", sa.String(), nullable=False),
        sa.Column("team_id", sa.BigInteger()),
        sa.Column("image_id", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(f"reference ~ '{TAG_PATTERN}'", name=op.f("ck_image_tag_reference")),
        sa.CheckConstraint("(team_id IS NULL) = (strpos(reference, '/') = 0)", name=op.f("ck_image_tag_team_is_named")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_image_tag_team_id_team")),
        sa.ForeignKeyConstraint(
            ["image_id"], ["image.id"], name=op.f("fk_image_tag_image_id_image"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_image_tag")),
        sa.UniqueConstraint("reference", name=op.f("uq_image_tag_reference")),
    )
    op.create_index(op.f("ix_image_tag_team_id"), "image_tag", ["team_id"])
    op.create_index(op.f("ix_image_tag_image_id"), "image_tag", ["image_id"])
    op.create_table(
        "image_naming",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("reference", sa.String(), nullable=False),
        sa.Column("image_id", sa.BigInteger()),
        sa.Column("earlier_image_id", sa.BigInteger()),
        sa.Column("account_id", sa.BigInteger()),
        sa.Column("named_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.CheckConstraint("num_nonnulls(image_id, earlier_image_id) > 0", name=op.f("ck_image_naming_names_an_image")),
        *(
            sa.ForeignKeyConstraint(
                [column], ["image.id"], name=op.f(f"fk_image_naming_{column}_image"), ondelete="CASCADE"
            )
            for column in ("image_id", "earlier_image_id")
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_image_naming_account_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_image_naming")),
    )
    for column in ("reference", "image_id", "earlier_image_id"):
        op.create_index(op.f(f"ix_image_naming_{column}"), "image_naming", [column])
    op.execute(COPY_TAGS)
    op.execute(
        "CREATE TRIGGER copy_tags AFTER INSERT OR DELETE OR UPDATE OF image_id ON image_tag "
        "FOR EACH ROW EXECUTE FUNCTION copy_tags()"
    )
    op.execute(_enter(TEXTS))
    _trigger(f"{WRITTEN_BEFORE}, tags, description")


def downgrade() -> None:
    op.execute(_enter(TEXTS_BEFORE))
    _trigger(WRITTEN_BEFORE)
    op.drop_table("image_naming")
    op.drop_table("image_tag")
    op.execute("DROP FUNCTION copy_tags")
    op.drop_index(op.f("ix_image_manifest_digest"), "image")
    op.drop_index(op.f("ix_image_index_digest"), "image")
    # The manifest has the first name, so an image is given it back unless another has it.
    op.execute(
        "UPDATE image SET name = published_name "
        "WHERE published_name NOT IN (SELECT name FROM image AS other WHERE other.id <> image.id)"
    )
    for name in ("is_protected", "description", "tags", "published_name"):
        op.drop_column("image", name)
