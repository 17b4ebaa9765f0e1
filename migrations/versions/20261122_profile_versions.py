"""Profiles that are made, edited, forked and archived; versions that nobody changes

Revision: 0008
Follows: 0007
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_PROFILE_CHECKS = {
    "name_is_plain": "name ~ '^[a-z0-9][a-z0-9-]{0,62}$'",
    "revision_positive": "revision >= 1",
    "versions_count_positive": "versions_count >= 1",
    "tags_is_list": "jsonb_typeof(tags) = 'array'",
    "builtin_not_archived": "NOT is_builtin OR archived_at IS NULL",
}
_VERSION_CHECKS = {
    "digest": "digest ~ '^[0-9a-f]{64}$'",
    "message_not_empty": "message <> ''",
    "author_not_empty": "author <> ''",
}
_VERSION_TEXTS = ("message", "author", "digest")
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
    _extend_profiles()
    _extend_versions()
    op.create_foreign_key(
        op.f("fk_profile_parent_version_id_profile_version"),
        "profile",
        "profile_version",
        ["parent_version_id"],
        ["id"],
    )
    op.drop_constraint(op.f("fk_profile_version_profile_id_profile"), "profile_version", type_="foreignkey")
    op.create_foreign_key(
        op.f("fk_profile_version_profile_id_profile"),
        "profile_version",
        "profile",
        ["profile_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.execute(_KEEP_VERSION)
    op.execute(_TRIGGER)


def _extend_profiles() -> None:
    tags = postgresql.JSONB(astext_type=sa.Text())
    op.add_column("profile", sa.Column("tags", tags, server_default="[]", nullable=False))
    op.add_column("profile", sa.Column("revision", sa.Integer(), server_default="1", nullable=False))
    op.add_column("profile", sa.Column("versions_count", sa.Integer(), server_default="1", nullable=False))
    op.add_column("profile", sa.Column("parent_version_id", sa.BigInteger(), nullable=True))
    op.add_column("profile", sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(op.f("ix_profile_parent_version_id"), "profile", ["parent_version_id"])
    op.execute(
        "UPDATE profile SET versions_count = (SELECT max(number) FROM profile_version WHERE profile_id = profile.id)"
    )
    for name, condition in _PROFILE_CHECKS.items():
        op.create_check_constraint(op.f(f"ck_profile_{name}"), "profile", condition)


def _extend_versions() -> None:
    """What is there is built in: until now there was no other way to make a version."""
    for column in _VERSION_TEXTS:
        op.add_column("profile_version", sa.Column(column, sa.String(), nullable=True))
    op.execute("UPDATE profile_version SET message = 'Built in', author = 'Patina'")
    for row in op.get_bind().execute(sa.text("SELECT id, size, depth, age FROM profile_version")).mappings().all():
        # Asked of the core, as always, and only where there is a version to ask for.
        from patina.profile.digest import profile_digest

        digest = profile_digest({name: row[name] for name in ("size", "depth", "age")})
        op.execute(
            sa.text("UPDATE profile_version SET digest = :digest WHERE id = :id").bindparams(
                digest=digest, id=row["id"]
            )
        )
    for column in _VERSION_TEXTS:
        op.alter_column("profile_version", column, existing_type=sa.String(), nullable=False)
    for name, condition in _VERSION_CHECKS.items():
        op.create_check_constraint(op.f(f"ck_profile_version_{name}"), "profile_version", condition)


def downgrade() -> None:
    op.execute("DROP TRIGGER keep_profile_version ON profile_version")
    op.execute("DROP FUNCTION keep_profile_version()")
    op.drop_constraint(op.f("fk_profile_version_profile_id_profile"), "profile_version", type_="foreignkey")
    op.create_foreign_key(
        op.f("fk_profile_version_profile_id_profile"), "profile_version", "profile", ["profile_id"], ["id"]
    )
    op.drop_constraint(op.f("fk_profile_parent_version_id_profile_version"), "profile", type_="foreignkey")
    op.drop_index(op.f("ix_profile_parent_version_id"), "profile")
    for name in _VERSION_CHECKS:
        op.drop_constraint(op.f(f"ck_profile_version_{name}"), "profile_version", type_="check")
    for column in _VERSION_TEXTS:
        op.drop_column("profile_version", column)
    for name in _PROFILE_CHECKS:
        op.drop_constraint(op.f(f"ck_profile_{name}"), "profile", type_="check")
    for column in ("tags", "revision", "versions_count", "parent_version_id", "archived_at"):
        op.drop_column("profile", column)
