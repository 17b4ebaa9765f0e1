"""Tables host, a machine that runs a worker; join_token, which lets another machine become a host; and host_access,
the access of those that have joined."""

from datetime import datetime, timedelta

from sqlalchemy import BigInteger, CheckConstraint, Identity, Interval, bindparam, func, select
from sqlalchemy.orm import Mapped, column_property, mapped_column

from patina.db import Base, JsonList, JsonObject, database_time
from patina.settings import settings


def healthy_for() -> timedelta:
    """Returns how long a host is healthy after its last heartbeat."""
    return timedelta(seconds=settings().host_silence_s)


class HostAccess(Base):
    """The access of a joined host: a role of its own in the database, a user of its own in the broker, or both. Named
    as the host, whose row is made by its first heartbeat."""

    __tablename__ = "host_access"
    __table_args__ = (
        CheckConstraint("broker_digest ~ '^[0-9a-f]{64}$'", name="broker_digest"),
        {"info": {"of_hosts": ""}},
    )

    host_name: Mapped[str] = mapped_column(primary_key=True)
    role_name: Mapped[str | None] = mapped_column(unique=True)  # in the database; null: it uses a shared role
    broker_digest: Mapped[str | None]  # SHA-256 of the user's password; null: it has no user
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Host(Base):
    """A machine that runs a worker; it reports itself with every heartbeat."""

    __tablename__ = "host"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    worker_key: Mapped[str | None]  # of the state folder whose worker reports under this name
    patina_version: Mapped[str | None]
    kernel: Mapped[str]
    lacks: Mapped[JsonObject]  # file systems that it cannot make, and why
    cores_count: Mapped[int]
    memory_bytes: Mapped[int] = mapped_column(BigInteger)
    memory_free_bytes: Mapped[int] = mapped_column(BigInteger)  # for devices in memory, by the last report
    disk_bytes: Mapped[int] = mapped_column(BigInteger, server_default="0")  # of its state folder's file system
    disk_free_bytes: Mapped[int] = mapped_column(BigInteger, server_default="0")
    tools: Mapped[JsonObject]
    device_allow: Mapped[JsonList]
    scan_folders: Mapped[JsonList]
    commands: Mapped[JsonList] = mapped_column(server_default="[]")  # programs that trials may run there
    sandbox_quota_bytes: Mapped[int] = mapped_column(BigInteger, server_default="0")  # for all its sandbox devices
    heartbeat_at: Mapped[datetime] = mapped_column()  # by the database's clock
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    removed_at: Mapped[datetime | None]  # hidden from the lists until a worker reports under its name again
    is_healthy: Mapped[bool] = column_property(
        database_time() - heartbeat_at < bindparam(None, callable_=healthy_for, type_=Interval())
    )
    # Deferred: hosts may not read the other table.
    has_own_access: Mapped[bool] = column_property(
        select(HostAccess.host_name).where(HostAccess.host_name == name).exists(), deferred=True
    )

    @property
    def silence(self) -> str:
        """Returns since when it is silent, as a sentence's end."""
        return f"host {self.name} has been silent since {self.heartbeat_at:%Y-%m-%d %H:%M:%S %Z}"


class JoinToken(Base):
    """Lets machines join, with limits on uses and time. Only its digest is stored."""

    __tablename__ = "join_token"
    __table_args__ = (
        CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
        CheckConstraint("uses_count >= 1", name="uses_count_positive"),
        CheckConstraint("used_count >= 0 AND used_count <= uses_count", name="used_count_within"),
        {"info": {"of_hosts": ""}},  # hosts make none
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    digest: Mapped[str] = mapped_column(unique=True)
    uses_count: Mapped[int] = mapped_column()
    used_count: Mapped[int] = mapped_column()
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime] = mapped_column()
    revoked_at: Mapped[datetime | None] = mapped_column()
    is_open: Mapped[bool] = column_property(
        revoked_at.is_(None) & (used_count < uses_count) & (expires_at > database_time())
    )
