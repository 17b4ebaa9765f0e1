"""Table action: the columns of jobs on a device and an image."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.delta.models import Delta
from patina.image.models import Image
from patina.job.models import Job


class ActionKind(StrEnum):
    RESTORE = "restore"
    VERIFY = "verify"
    TRACE = "trace"
    ROLLBACK = "rollback"
    CAPTURE = "capture"


class Action(Job):
    """A job of the kinds in kind.py. It holds the device's lease until it has ended."""

    __tablename__ = "action"

    id: Mapped[int] = mapped_column(ForeignKey("job.id"), primary_key=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    delta_id: Mapped[int | None] = mapped_column(ForeignKey("delta.id"))  # made by a trace, used by a rollback
    armed_at: Mapped[datetime | None]  # of a trace: from here on every write is recorded

    image: Mapped[Image] = relationship(lazy="joined")
    delta: Mapped[Delta | None] = relationship(lazy="joined")

    @property
    def image_name(self) -> str | None:
        """Returns the name that the image of a capture is to have."""
        return self.request.get("image_name")


class Restore(Action, kind=ActionKind.RESTORE):
    pass


class Verification(Action, kind=ActionKind.VERIFY):
    pass


class Trace(Action, kind=ActionKind.TRACE):
    pass


class Rollback(Action, kind=ActionKind.ROLLBACK):
    pass


class Capture(Action, kind=ActionKind.CAPTURE):
    pass
