"""Tables profile and profile_version. Versions are immutable."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.db import Base


class Profile(Base):
    """Three histograms under a name."""

    __tablename__ = "profile"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    description: Mapped[str]
    source: Mapped[str]
    is_builtin: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    versions: Mapped[list["ProfileVersion"]] = relationship(
        back_populates="profile", order_by="ProfileVersion.number", lazy="selectin"
    )

    @property
    def latest_version(self) -> "ProfileVersion":
        """The version with the highest number; every profile has one."""
        return self.versions[-1]


class ProfileVersion(Base):
    """The histograms themselves, as the profile's JSON has them."""

    __tablename__ = "profile_version"
    __table_args__ = (
        UniqueConstraint("profile_id", "number"),
        CheckConstraint("number >= 1", name="number_positive"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    profile_id: Mapped[int] = mapped_column(ForeignKey("profile.id"))
    number: Mapped[int]
    size: Mapped[list]  # type: ignore[type-arg]
    depth: Mapped[list]  # type: ignore[type-arg]
    age: Mapped[list]  # type: ignore[type-arg]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    profile: Mapped[Profile] = relationship(back_populates="versions", lazy="joined")
