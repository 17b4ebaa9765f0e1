"""Tables webhook and webhook_delivery."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from patina.db import Base

BODY_BYTES_LIMIT = 8192


class DeliveryState(StrEnum):
    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


_STATES = ", ".join(f"'{state}'" for state in DeliveryState)


class Webhook(Base):
    """An address, and of what it wants to hear. One delivery at a time goes to it."""

    __tablename__ = "webhook"
    __table_args__ = (
        CheckConstraint("url ~ '^https?://'", name="url"),
        CheckConstraint("secret LIKE 'whsec_%'", name="secret"),
        CheckConstraint("jsonb_array_length(kinds) > 0", name="kinds_not_empty"),
        CheckConstraint("NOT (is_enabled AND disabled_reason IS NOT NULL)", name="disabled_has_reason"),
        {"info": {"of_hosts": ""}},  # secrets
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    title: Mapped[str]
    url: Mapped[str]
    secret: Mapped[str]  # whsec_ and base64, as its receiver has it: what is signed with cannot be kept as a digest
    kinds: Mapped[list]  # type: ignore[type-arg]  # NoticeKind
    is_enabled: Mapped[bool]
    disabled_reason: Mapped[str | None]  # null when a user did it
    busy_until: Mapped[datetime | None]  # a process of ours is sending to it; past: that process is gone
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class WebhookDelivery(Base):
    """One message to one webhook: to be sent, sent, or given up."""

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        UniqueConstraint("webhook_id", "message_id"),
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        CheckConstraint("(state = 'pending') = (next_try_at IS NOT NULL)", name="pending_has_next_try"),
        CheckConstraint("(state = 'pending') = (finished_at IS NULL)", name="pending_has_not_finished"),
        CheckConstraint(f"octet_length(body) <= {BODY_BYTES_LIMIT}", name="body_bytes"),
        Index("ix_webhook_delivery_due", "webhook_id", "next_try_at", postgresql_where=text("state = 'pending'")),
        {"info": {"of_hosts": ""}},  # of the API
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhook.id", ondelete="CASCADE"))
    message_id: Mapped[str]  # the webhook-id header: of the notice, so the same at every try and every receiver
    type: Mapped[str]  # run.succeeded, ping
    job_id: Mapped[int | None] = mapped_column(ForeignKey("job.id"))  # null: of no job
    body: Mapped[str]  # as it is signed and sent
    state: Mapped[DeliveryState]
    tries_count: Mapped[int]
    next_try_at: Mapped[datetime | None]
    last_status: Mapped[int | None]  # of the last answer; null: there was none
    last_message: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
