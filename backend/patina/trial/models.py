"""Tables trial and repetition: what is measured, and each measurement."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.db import Base, JsonObject
from patina.image.models import Image
from patina.job.models import Job


class RepetitionState(StrEnum):
    PLANNED = "planned"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"  # its image was not made


_STATES = ", ".join(f"'{state}'" for state in RepetitionState)


class Trial(Job, kind="trial"):
    """Workloads on images, one repetition after the other, on one device."""

    __tablename__ = "trial"
    __table_args__ = (CheckConstraint("jsonb_typeof(settings) = 'object'", name="settings_is_object"),)

    id: Mapped[int] = mapped_column(ForeignKey("job.id"), primary_key=True)
    settings: Mapped[JsonObject]  # TrialSettings in force: with a seed, labels and groups
    environment: Mapped[JsonObject | None]  # TrialEnvironment, once it has begun
    name: Mapped[str] = mapped_column(default="")
    note: Mapped[str] = mapped_column(default="")


class Repetition(Base):
    """One run of one workload on one arm. The rows are made with the trial, in the order of execution."""

    __tablename__ = "repetition"
    __table_args__ = (
        UniqueConstraint("trial_id", "position"),
        UniqueConstraint("trial_id", "arm", "workload", "number"),
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        CheckConstraint("(state = 'done') = (measurement IS NOT NULL)", name="done_is_measured"),
        CheckConstraint("(state IN ('failed', 'skipped')) = (error_code IS NOT NULL)", name="failed_has_code"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    trial_id: Mapped[int] = mapped_column(ForeignKey("trial.id"))
    position: Mapped[int]  # in the order of execution, from 0
    arm: Mapped[int]  # index into the settings
    workload: Mapped[int]  # index into the settings
    number: Mapped[int]  # of the repetition of this workload on this arm, from 1
    state: Mapped[RepetitionState] = mapped_column(default=RepetitionState.PLANNED)
    image_id: Mapped[int | None] = mapped_column(ForeignKey("image.id"), index=True)  # null: its run has not ended
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    measurement: Mapped[JsonObject | None] = mapped_column(deferred=True)  # Measurement
    error_code: Mapped[str | None]
    error_message: Mapped[str | None]

    image: Mapped[Image | None] = relationship(lazy="joined")
