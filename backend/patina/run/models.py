"""Table run: what only runs have."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, Computed, Double, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.device.file_system import FileSystem
from patina.job.models import Job
from patina.profile.models import ProfileVersion
from patina.run.event import CaptureMode
from patina.run.state import StopReason
from patina.run.way import AGING_MODES, AgingMode, FullnessOf

_FILE_SYSTEMS = ", ".join(f"'{f}'" for f in FileSystem)
_AGING_MODES = ", ".join(f"'{m}'" for m in AGING_MODES)
_STOP_REASONS = ", ".join(f"'{r}'" for r in StopReason)


class Run(Job, kind="run"):
    """One aging: what was asked for, how far it is, what came of it."""

    __tablename__ = "run"
    __table_args__ = (
        CheckConstraint(f"stop_reason IN ({_STOP_REASONS})", name="stop_reason"),
        CheckConstraint("fullness > 0 AND fullness < 1", name="fullness"),
        CheckConstraint("fullness_of IN ('files', 'statfs')", name="fullness_of"),
        CheckConstraint(f"file_system IN ({_FILE_SYSTEMS})", name="file_system"),
        CheckConstraint(f"mode IN ({_AGING_MODES})", name="mode"),
        CheckConstraint("capture_mode IN ('exact', 'allocated', 'metadata')", name="capture_mode"),
    )

    id: Mapped[int] = mapped_column(ForeignKey("job.id"), primary_key=True)
    profile_version_id: Mapped[int] = mapped_column(ForeignKey("profile_version.id"))
    extends_id: Mapped[int | None] = mapped_column(ForeignKey("run.id"), index=True)  # the run that it goes on from
    file_system: Mapped[str]
    fullness: Mapped[float]
    fullness_of: Mapped[FullnessOf] = mapped_column(String, default="files")
    seed: Mapped[int] = mapped_column(BigInteger)
    mode: Mapped[AgingMode] = mapped_column(String)
    data_mode: Mapped[str]
    capture_mode: Mapped[CaptureMode] = mapped_column(String)
    in_memory: Mapped[bool] = mapped_column(default=False)  # aged there, its image then written to the device
    threads_count: Mapped[int | None]  # null: by the mode
    max_rmse: Mapped[float | None]
    max_overwrites: Mapped[float | None]
    max_seconds: Mapped[float | None]  # of aging, pauses not counted
    asked_conditions: Mapped[dict | None]  # type: ignore[type-arg]  # stop conditions asked for, not yet in force
    pause_requested_at: Mapped[datetime | None]  # null again once it is to go on
    note: Mapped[str] = mapped_column(default="")
    # The batch it was started in. The foreign key stands with the later stage, in batch/models.py.
    batch_id: Mapped[int | None] = mapped_column(BigInteger, index=True)

    stop_reason: Mapped[StopReason | None]
    plan: Mapped[dict | None]  # type: ignore[type-arg]
    summary: Mapped[dict | None]  # type: ignore[type-arg]
    # Of the summary, for lists: they read no document.
    age_rmse: Mapped[float | None] = mapped_column(
        Double, Computed("(summary #>> '{histograms,age,rmse}')::double precision", persisted=True)
    )
    recipe: Mapped[dict | None]  # type: ignore[type-arg]

    profile_version: Mapped[ProfileVersion] = relationship(lazy="joined")

    @property
    def fullness_of_files(self) -> float:
        """What the plan is made for, once it is there: with a goal of statfs, less than that."""
        return self.fullness if self.plan is None else float(self.plan["fullness"])
