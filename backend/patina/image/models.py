"""Table image: the catalog."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.db import Base
from patina.profile.models import ProfileVersion
from patina.run.models import Run


class Image(Base):
    """A captured device. The row is written after the index, the index after its chunks."""

    __tablename__ = "image"
    __table_args__ = (CheckConstraint("mode IN ('exact')", name="mode"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"), unique=True)
    profile_version_id: Mapped[int] = mapped_column(ForeignKey("profile_version.id"))
    name: Mapped[str]
    file_system: Mapped[str]
    fullness: Mapped[float]  # achieved
    mode: Mapped[str]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    stored_bytes: Mapped[int] = mapped_column(BigInteger)
    index_digest: Mapped[str]
    index_name: Mapped[str] = mapped_column(unique=True)  # a file in the index folder
    recipe: Mapped[dict]  # type: ignore[type-arg]
    summary: Mapped[dict]  # type: ignore[type-arg]
    capture: Mapped[dict]  # type: ignore[type-arg]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    run: Mapped[Run] = relationship(lazy="joined")
    profile_version: Mapped[ProfileVersion] = relationship(lazy="joined")
