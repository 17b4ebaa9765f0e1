"""Tables delta and holding: the blocks a trial touched, and the content of a device."""

from datetime import datetime
from typing import Literal

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.db import Base
from patina.device.models import Device
from patina.file_name import is_file_name
from patina.image.models import Image

Doubt = Literal["differs", "changed", "unknown"]


def is_unwritten(then: str, now: str) -> bool:
    """Returns whether equal generations prove that the device was not written to (docs/file-formats.md, "Generation").

    A loop device that was attached anew has a new number and count; the part of its backing file stays.
    """
    of_file = then.partition(" offset=")[2]
    return then == now or (of_file != "" and of_file == now.partition(" offset=")[2])


class Delta(Base):
    """The blocks of a device that a trace recorded since the device held an image."""

    __tablename__ = "delta"
    __table_args__ = (
        is_file_name("file_name"),
        CheckConstraint("touched_bytes >= 0", name="touched_bytes_not_negative"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id"), index=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    file_name: Mapped[str] = mapped_column(unique=True)  # in the delta folder
    source: Mapped[str]
    incomplete_reason: Mapped[str | None]  # why it may lack blocks; null: complete
    touched_bytes: Mapped[int] = mapped_column(BigInteger)
    extents_count: Mapped[int] = mapped_column(BigInteger)
    events_count: Mapped[int] = mapped_column(BigInteger)
    dropped_count: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Holding(Base):
    """The known content of a device: an image, and the delta since. Without a row the content is unknown."""

    __tablename__ = "holding"

    device_id: Mapped[int] = mapped_column(ForeignKey("device.id"), primary_key=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    delta_id: Mapped[int | None] = mapped_column(ForeignKey("delta.id"))
    generation: Mapped[str]  # of the device when its content was last known; empty: unknown
    verified_at: Mapped[datetime]
    differs: Mapped[bool]  # a comparison found other bytes than the image's, and no trace explains them

    image: Mapped[Image] = relationship(lazy="joined")
    delta: Mapped[Delta | None] = relationship(lazy="joined")
    device: Mapped[Device] = relationship(lazy="joined")

    @property
    def doubt(self) -> Doubt | None:
        """Returns why the device's content may differ from the known one."""
        if self.differs:
            return "differs"
        if not self.generation or not self.device.generation:
            return "unknown"
        return None if is_unwritten(self.generation, self.device.generation) else "changed"
