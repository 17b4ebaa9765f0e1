"""Sign-in through a provider of OpenID Connect

Revision: 20261256
Follows: 20261255
"""

import sqlalchemy as sa
from alembic import op

revision = "20261256"
down_revision = "20261255"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "provider_identity",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_provider_identity_account_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_provider_identity")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_provider_identity_issuer_subject")),
        sa.UniqueConstraint("account_id", "issuer", name=op.f("uq_provider_identity_account_id_issuer")),
    )
    op.create_table(
        "openid_request",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("state_digest", sa.String(), nullable=False),
        sa.Column("browser_digest", sa.String(), nullable=False),
        sa.Column("nonce", sa.String(), nullable=False),
        sa.Column("verifier", sa.String(), nullable=False),
        sa.Column("return_path", sa.String(), nullable=False),
        sa.Column("link_id", sa.BigInteger()),
        sa.Column("name", sa.String()),
        sa.Column("account_id", sa.BigInteger()),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state_digest ~ '^[0-9a-f]{64}$'", name=op.f("ck_openid_request_state_digest")),
        sa.CheckConstraint("browser_digest ~ '^[0-9a-f]{64}$'", name=op.f("ck_openid_request_browser_digest")),
        sa.CheckConstraint("account_id IS NULL OR link_id IS NULL", name=op.f("ck_openid_request_one_purpose")),
        sa.CheckConstraint("(link_id IS NULL) = (name IS NULL)", name=op.f("ck_openid_request_link_has_name")),
        sa.ForeignKeyConstraint(
            ["link_id"], ["account_link.id"], name=op.f("fk_openid_request_link_id_account_link"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_openid_request_account_id_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_openid_request")),
        sa.UniqueConstraint("state_digest", name=op.f("uq_openid_request_state_digest")),
    )
    op.create_index(op.f("ix_openid_request_link_id"), "openid_request", ["link_id"])


def downgrade() -> None:
    op.drop_table("openid_request")
    op.drop_table("provider_identity")
