"""Table collection: garbage collections of a host's chunk store."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.db import Base
from patina.host.models import Host
from patina.run.state import RunState

_STATES = ", ".join(f"'{s}'" for s in RunState if s not in (RunState.PAUSED, RunState.CANCELING, RunState.CANCELED))


class Collection(Base):
    """Its states are a run's, without those of a person's wish. A host has one at a time."""

    __tablename__ = "collection"
    __table_args__ = (
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name="failed_has_code"),
        Index(
            "uq_collection_active_host",
            "host_id",
            unique=True,
            postgresql_where=text("state IN ('queued', 'running')"),
        ),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    host_id: Mapped[int] = mapped_column(ForeignKey("host.id"))
    is_dry_run: Mapped[bool]
    grace_s: Mapped[int]
    state: Mapped[RunState]
    error_code: Mapped[str | None]
    error_message: Mapped[str | None]
    summary: Mapped[dict | None]  # type: ignore[type-arg]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]

    host: Mapped[Host] = relationship(lazy="joined")
