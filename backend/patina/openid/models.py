"""Tables identity and openid_request."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from patina.account.models import SECRET
from patina.db import Base


class ProviderIdentity(Base):
    """What a provider calls a user: issuer and subject, and nothing else, identify one. It signs in to one account."""

    __tablename__ = "provider_identity"
    __table_args__ = (
        UniqueConstraint("issuer", "subject"),
        UniqueConstraint("account_id", "issuer"),
        {"info": {"of_hosts": ""}},
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    issuer: Mapped[str]
    subject: Mapped[str]
    title: Mapped[str]  # the name that the provider gave, for people
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    @property
    def label(self) -> str:
        """Returns its name in the audit trail."""
        return f"identity {self.title}"


class OpenidRequest(Base):
    """A browser that was sent to the provider and has not come back. Deleted when it does."""

    __tablename__ = "openid_request"
    __table_args__ = (
        CheckConstraint("state_digest ~ '^[0-9a-f]{64}$'", name="state_digest"),
        CheckConstraint("browser_digest ~ '^[0-9a-f]{64}$'", name="browser_digest"),
        CheckConstraint("account_id IS NULL OR link_id IS NULL", name="one_purpose"),
        CheckConstraint("(link_id IS NULL) = (name IS NULL)", name="link_has_name"),
        {"info": {"of_hosts": "", "is_audited": False}},
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    state_digest: Mapped[str] = mapped_column(unique=True, info=SECRET)
    browser_digest: Mapped[str] = mapped_column(info=SECRET)  # of the cookie of the browser
    nonce: Mapped[str] = mapped_column(info=SECRET)
    verifier: Mapped[str] = mapped_column(info=SECRET)  # of PKCE
    return_path: Mapped[str]
    link_id: Mapped[int | None] = mapped_column(ForeignKey("account_link.id", ondelete="CASCADE"), index=True)
    name: Mapped[str | None]  # of the account that the link makes
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))  # that connects the identity
    expires_at: Mapped[datetime]
