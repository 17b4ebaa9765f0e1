"""Tables device and lease."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.account.actor import current_actor
from patina.account.models import Team
from patina.account.visibility import Shared, is_seen, viewer
from patina.db import Base, JsonObject
from patina.device.memory import memory_needed_bytes
from patina.device.offer import FileSystemOffer, offers
from patina.device.state import DeviceCondition, DeviceState, DeviceUsers
from patina.file_name import PATTERN
from patina.file_system.table import FileSystem, estimated_capacity_bytes
from patina.host.models import Host

NAME_CHARS = 60


class Lease(Base):
    """The right to use a device. At most one is active for a device: the database refuses a second."""

    __tablename__ = "lease"
    __table_args__ = (
        Index(
            "uq_lease_active_device",
            "device_id",
            unique=True,
            postgresql_where=text("released_at IS NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id"))
    holder: Mapped[str]  # "run 42"
    fence: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    expires_at: Mapped[datetime | None]  # null until a worker has claimed it
    acquired_at: Mapped[datetime] = mapped_column(server_default=func.now())
    released_at: Mapped[datetime | None]

    # Its holder, a Job, which is of a later stage; null: none yet, or the removal of the device.
    job: Mapped[Shared | None] = relationship(
        "Job", primaryjoin="Lease.id == foreign(Job.lease_id)", viewonly=True, uselist=False
    )

    @property
    def seen_holder(self) -> str:
        """Returns its holder for the sender of this request: of a job that is not seen, no number."""
        is_shown = viewer() is None or self.job is None or is_seen(self.job)
        return self.holder if is_shown else f"a private {self.holder.partition(' ')[0]}"


class Device(Base):
    """A block device of a host. `condition` is its worker's view; `state` adds the lease."""

    __tablename__ = "device"
    __table_args__ = (
        UniqueConstraint("host_id", "stable_id"),
        CheckConstraint("kind IN ('sandbox', 'attached')", name="kind"),
        CheckConstraint("medium IN ('file', 'memory')", name="medium"),
        CheckConstraint(
            "condition IN ('creating', 'ready', 'protected', 'removing', 'removed', 'lost', 'failed')", name="condition"
        ),
        CheckConstraint(f"char_length(name) BETWEEN 1 AND {NAME_CHARS}", name="name"),
        CheckConstraint("size_bytes >= 0", name="size_bytes_not_negative"),
        CheckConstraint("users IN ('members', 'team', 'operators')", name="users"),
        CheckConstraint("(users = 'team') = (users_team_id IS NOT NULL)", name="users_team_is_named"),
        CheckConstraint("emulation IS NULL OR kind = 'sandbox'", name="emulation_is_of_sandbox"),
        CheckConstraint("shingle IS NULL OR kind = 'sandbox'", name="shingle_is_of_sandbox"),
        CheckConstraint(f"kind <> 'sandbox' OR stable_id ~ '{PATTERN}'", name="stable_id_is_file_name"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    host_id: Mapped[int] = mapped_column(ForeignKey("host.id"))
    stable_id: Mapped[str]
    kind: Mapped[str]
    medium: Mapped[str | None]
    path: Mapped[str | None]
    model: Mapped[str | None]
    serial: Mapped[str | None]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    is_rotational: Mapped[bool]
    condition: Mapped[DeviceCondition]
    condition_reason: Mapped[str | None]
    facts: Mapped[JsonObject | None]  # DeviceFacts; null until a worker has reported
    holds: Mapped[str | None]  # content found by a probe: "ext4", "GPT partition table", "unrecognised content"
    generation: Mapped[str] = mapped_column(server_default="")  # read just before `holds`; empty: unknown
    seen_at: Mapped[datetime | None]
    traffic: Mapped[JsonObject | None]  # TrafficRate, as last measured while a job held it
    emulation: Mapped[JsonObject | None]  # Emulation, of an emulated disk; null: not emulated
    emulated: Mapped[JsonObject | None]  # Emulated, as last reported
    fault: Mapped[JsonObject | None]  # FaultRead, the last one asked
    shingle: Mapped[JsonObject | None]  # Shingle, of a shingled disk; null: not shingled
    name: Mapped[str | None]  # given by a user; null: none
    expires_at: Mapped[datetime | None]  # of a sandbox device: removed then, once it is not held
    users: Mapped[DeviceUsers] = mapped_column(server_default="members", default=DeviceUsers.MEMBERS)
    users_team_id: Mapped[int | None] = mapped_column(ForeignKey("team.id"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    users_team: Mapped[Team | None] = relationship()  # not joined: hosts may not read accounts
    host: Mapped[Host] = relationship(lazy="joined")
    active_lease: Mapped[Lease | None] = relationship(
        primaryjoin=lambda: (Device.id == Lease.device_id) & Lease.released_at.is_(None),
        lazy="selectin",
        viewonly=True,
        uselist=False,
    )

    @property
    def identity(self) -> dict[str, object]:
        """Returns the identity of the device, which a job keeps of the confirmed device."""
        identity = {"stable_id": self.stable_id, "size_bytes": self.size_bytes, "serial": self.serial}
        if self.kind == "attached" and self.serial is None and self.facts is not None and self.facts["wwn"] is None:
            identity["disk_sequence"] = self.facts.get("disk_sequence")  # detects a replaced disk
        return identity

    @property
    def confirmed(self) -> dict[str, object]:
        """Returns the identity and the content that the user saw and may destroy."""
        return {**self.identity, "holds": self.holds, "generation": self.generation}

    @property
    def is_usable(self) -> bool:
        """Returns whether the sender of this request may use it, if the role allows the operation."""
        actor = current_actor.get()
        if actor is None or actor.sees_everything or self.users == DeviceUsers.MEMBERS:
            return True
        return self.users == DeviceUsers.TEAM and self.users_team_id in actor.team_ids

    @property
    def called(self) -> str:
        """Returns what it is called in a text: its name, else its path, else its stable id."""
        return self.name or self.path or self.stable_id

    @property
    def users_team_name(self) -> str | None:
        """Returns the name of the team whose members may use it."""
        return None if self.users_team is None else self.users_team.name

    @property
    def state(self) -> DeviceState:
        """Returns the state that the user sees."""
        if self.active_lease is not None:
            return DeviceState.BUSY
        if not self.host.is_healthy:
            return DeviceState.LOST
        return DeviceState.AVAILABLE if self.condition == DeviceCondition.READY else DeviceState(self.condition)

    @property
    def state_reason(self) -> str | None:
        """Returns the reason for its state, as a sentence's end: "mounted at /"."""
        if self.active_lease is None and not self.host.is_healthy:
            return f"its {self.host.silence}"
        return f"leased by {self.active_lease.seen_holder}" if self.active_lease else self.condition_reason

    @property
    def drops_data(self) -> bool:
        """Returns whether it is an emulated disk that drops file data, and generates it when it is read."""
        return self.emulation is not None and not self.emulation.get("keeps_all")

    @property
    def file_systems(self) -> list[FileSystemOffer]:
        """Returns the needs and the estimated capacity of each file system on it: of SMRfs alone on a shingled disk."""
        offered = offers(self.size_bytes, frozenset(self.host.lacks.items()), drops_data=self.drops_data)
        return [offer for offer in offered if self.shingle is None or offer.name == FileSystem.SMRFS]

    def capacity_estimate_bytes(self, file_system: str) -> int:
        """Returns the estimated capacity of the file system on it; for forecasts."""
        return estimated_capacity_bytes(self.size_bytes, file_system)

    @property
    def fits_in_memory(self) -> bool:
        """Returns whether a run with the default mode and data could age a device of its size in memory now."""
        return memory_needed_bytes(self.size_bytes) <= self.host.memory_free_bytes
