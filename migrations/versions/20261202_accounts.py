"""Accounts, their credentials and links, and the audit trail

Revision: 20261202
Follows: 20261201
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261202"
down_revision = "20261201"
branch_labels = None
depends_on = None

REFUSE = """
CREATE FUNCTION refuse_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit();
"""
ROLES = "role IN ('viewer', 'member', 'operator', 'owner')"
DIGEST = "digest ~ '^[0-9a-f]{64}$'"


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("password_hash", sa.String()),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("name ~ '^[a-z0-9][a-z0-9._-]{0,38}$'", name=op.f("ck_account_name")),
        sa.CheckConstraint(ROLES, name=op.f("ck_account_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("name", name=op.f("uq_account_name")),
    )
    op.create_table(
        "credential",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True)),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(DIGEST, name=op.f("ck_credential_digest")),
        sa.CheckConstraint("kind IN ('session', 'token')", name=op.f("ck_credential_kind")),
        sa.CheckConstraint(ROLES, name=op.f("ck_credential_role")),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_credential_account_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credential")),
        sa.UniqueConstraint("digest", name=op.f("uq_credential_digest")),
    )
    op.create_index(op.f("ix_credential_account_id"), "credential", ["account_id"])
    op.create_table(
        "account_link",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("account_id", sa.BigInteger()),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("note", sa.String(), server_default="", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint(DIGEST, name=op.f("ck_account_link_digest")),
        sa.CheckConstraint("purpose IN ('owner', 'invitation', 'entry')", name=op.f("ck_account_link_purpose")),
        sa.CheckConstraint(ROLES, name=op.f("ck_account_link_role")),
        sa.CheckConstraint(
            "(purpose = 'entry') = (account_id IS NOT NULL)", name=op.f("ck_account_link_entry_has_account")
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_account_link_account_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_link")),
        sa.UniqueConstraint("digest", name=op.f("uq_account_link_digest")),
    )
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("account_id", sa.BigInteger()),
        sa.Column("account_name", sa.String(), nullable=False),
        sa.Column("credential_id", sa.BigInteger()),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("detail", postgresql.JSONB(none_as_null=True), nullable=False),
        sa.CheckConstraint("outcome IN ('done', 'refused')", name=op.f("ck_audit_entry_outcome")),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_audit_entry_account_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entry")),
    )
    op.create_index("ix_audit_entry_account_id", "audit_entry", ["account_id", "id"])
    op.create_index("ix_audit_entry_action", "audit_entry", ["action", "id"])
    op.execute(REFUSE)


def downgrade() -> None:
    op.drop_table("audit_entry")
    op.execute("DROP FUNCTION refuse_change_of_audit()")
    for name in ("account_link", "credential", "account"):
        op.drop_table(name)
