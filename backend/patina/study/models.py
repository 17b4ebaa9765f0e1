"""Tables study and study_result: what is simulated, and the result of each cell with each seed."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from patina.db import Base, JsonObject
from patina.job.models import Job


class Study(Job, kind="study"):
    """Simulations of shingled disks on a host, without a device."""

    __tablename__ = "study"
    __table_args__ = (CheckConstraint("jsonb_typeof(settings) = 'object'", name="settings_is_object"),)

    id: Mapped[int] = mapped_column(ForeignKey("job.id"), primary_key=True)
    settings: Mapped[JsonObject]  # StudySettings
    name: Mapped[str] = mapped_column(default="")
    note: Mapped[str] = mapped_column(default="")


class StudyResult(Base):
    """What one simulation came to. A row is stored as it arrives."""

    __tablename__ = "study_result"
    __table_args__ = (
        UniqueConstraint("study_id", "cell", "seed"),
        CheckConstraint("cell >= 0 AND seed >= 1", name="is_of_settings"),
        CheckConstraint("jsonb_typeof(summary) = 'object'", name="summary_is_object"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("study.id"))
    cell: Mapped[int]  # index into the cells of the settings
    seed: Mapped[int]
    summary: Mapped[JsonObject]  # CapacitySummary or CleaningSummary
    finished_at: Mapped[datetime] = mapped_column(server_default=func.now())
