"""Table scan: walks of directory trees on hosts."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.db import Base
from patina.host.models import Host
from patina.scan.state import ScanState

_STATES = ", ".join(f"'{s}'" for s in ScanState)


class Scan(Base):
    """What was asked for, how far it is, what came of it. A host walks one tree at a time."""

    __tablename__ = "scan"
    __table_args__ = (
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name="failed_has_code"),
        CheckConstraint("(state = 'succeeded') = (result IS NOT NULL)", name="succeeded_has_result"),
        Index(
            "uq_scan_active_host",
            "host_id",
            unique=True,
            postgresql_where=text("state IN ('queued', 'running', 'canceling')"),
        ),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    host_id: Mapped[int] = mapped_column(ForeignKey("host.id"))
    directory: Mapped[str]
    state: Mapped[ScanState]
    progress: Mapped[dict | None]  # type: ignore[type-arg]
    result: Mapped[dict | None]  # type: ignore[type-arg]
    error_code: Mapped[str | None]
    error_message: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]

    host: Mapped[Host] = relationship(lazy="joined")
