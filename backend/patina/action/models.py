"""Table action: what a user asked a host to do with a device and an image."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.db import Base
from patina.delta.models import Delta
from patina.device.models import Device, Lease
from patina.image.models import Image
from patina.run.state import RunState


class ActionKind(StrEnum):
    RESTORE = "restore"
    VERIFY = "verify"
    TRACE = "trace"
    ROLLBACK = "rollback"
    CAPTURE = "capture"


_KINDS = ", ".join(f"'{k}'" for k in ActionKind)
_STATES = ", ".join(f"'{s}'" for s in RunState if s != RunState.PAUSED)


class Action(Base):
    """Its states and moves are a run's, without the pause. It holds the device's lease while it is not ended."""

    __tablename__ = "action"
    __table_args__ = (
        CheckConstraint("jsonb_typeof(confirmed) = 'object'", name="confirmed_is_object"),
        CheckConstraint(f"kind IN ({_KINDS})", name="kind"),
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name="failed_has_code"),
        Index("ix_action_state", "state"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    kind: Mapped[ActionKind]
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id"), index=True)
    lease_id: Mapped[int] = mapped_column(ForeignKey("lease.id"))
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    delta_id: Mapped[int | None] = mapped_column(ForeignKey("delta.id"))  # made by a trace, used by a rollback
    confirmed: Mapped[dict]  # type: ignore[type-arg]  # the identity the user confirmed, checked at writing
    idempotency_key: Mapped[str | None] = mapped_column(unique=True)
    asked: Mapped[dict | None]  # type: ignore[type-arg]  # what the key stands for: all but the confirmation

    state: Mapped[RunState]
    stop_requested_at: Mapped[datetime | None]
    armed_at: Mapped[datetime | None]  # of a trace: from here on nothing is missed
    done_bytes: Mapped[int] = mapped_column(BigInteger)
    total_bytes: Mapped[int] = mapped_column(BigInteger)
    message: Mapped[str]  # how it began, or ended
    error_code: Mapped[str | None]
    error_log: Mapped[str | None]  # the tail of the failed program's stderr
    summary: Mapped[dict | None]  # type: ignore[type-arg]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    device: Mapped[Device] = relationship(lazy="joined")
    lease: Mapped[Lease] = relationship(lazy="joined")
    image: Mapped[Image] = relationship(lazy="joined")
    delta: Mapped[Delta | None] = relationship(lazy="joined")
