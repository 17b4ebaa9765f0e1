"""Table host: a machine that runs a worker."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import BigInteger, Identity, func
from sqlalchemy.orm import Mapped, mapped_column

from patina.db import Base

HEALTHY_FOR = timedelta(seconds=30)


class Host(Base):
    """A machine that runs a worker; it reports itself with every heartbeat."""

    __tablename__ = "host"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    kernel: Mapped[str]
    cores_count: Mapped[int]
    memory_bytes: Mapped[int] = mapped_column(BigInteger)
    memory_free_bytes: Mapped[int] = mapped_column(BigInteger)  # for devices in memory, as its worker saw it last
    tools: Mapped[dict]  # type: ignore[type-arg]
    device_allow: Mapped[list]  # type: ignore[type-arg]
    scan_folders: Mapped[list]  # type: ignore[type-arg]
    heartbeat_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    @property
    def is_healthy(self) -> bool:
        """Whether its last heartbeat is recent."""
        return datetime.now(UTC) - self.heartbeat_at < HEALTHY_FOR
