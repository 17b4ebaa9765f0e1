"""Tables webhook and webhook_delivery."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from patina.db import Base, JsonList

BODY_BYTES_LIMIT = 8192


class DeliveryState(StrEnum):
    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


_STATES = ", ".join(f"'{state}'" for state in DeliveryState)


class Webhook(Base):
    """An address, and the kinds of notices it receives. It gets one delivery at a time."""

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
    secret: Mapped[str]  # whsec_ and base64, shared with the receiver: a signing key cannot be stored as a digest
    kinds: Mapped[JsonList]  # NoticeKind
    is_enabled: Mapped[bool]
    disabled_reason: Mapped[str | None]  # null if a user disabled it
    busy_until: Mapped[datetime | None]  # a process is sending to it; in the past: that process died
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class WebhookDelivery(Base):
    """One message to one webhook: pending, delivered or failed."""

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        UniqueConstraint("webhook_id", "message_id"),
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        CheckConstraint("(state = 'pending') = (next_try_at IS NOT NULL)", name="pending_has_next_try"),
        CheckConstraint("(state = 'pending') = (finished_at IS NULL)", name="pending_has_not_finished"),
        CheckConstraint(f"octet_length(body) <= {BODY_BYTES_LIMIT}", name="body_bytes"),
        Index("ix_webhook_delivery_due", "webhook_id", "next_try_at", postgresql_where=text("state = 'pending'")),
        {"info": {"of_hosts": ""}},  # for the API only
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhook.id", ondelete="CASCADE"))
    message_id: Mapped[str]  # the webhook-id header: the notice's id, equal at every try and receiver
    type: Mapped[str]  # run.succeeded, ping
    job_id: Mapped[int | None] = mapped_column(ForeignKey("job.id"))  # null: a ping
    body: Mapped[str]  # as signed and sent
    state: Mapped[DeliveryState]
    tries_count: Mapped[int]
    next_try_at: Mapped[datetime | None]
    last_status: Mapped[int | None]  # of the last answer; null without one
    last_message: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
