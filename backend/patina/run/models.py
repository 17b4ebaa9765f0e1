"""Table run: the columns of runs only."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, Computed, Double, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.core.contract.phase import StopReason
from patina.db import JsonList, JsonObject
from patina.job.models import Job
from patina.profile.models import Profile, ProfileVersion
from patina.run.checks import checks
from patina.run.settings import RunSettings

_STOP_REASONS = ", ".join(f"'{r}'" for r in StopReason)


class Run(Job, kind="run"):
    """One aging: request, progress, result."""

    __tablename__ = "run"
    __table_args__ = (
        CheckConstraint(f"stop_reason IN ({_STOP_REASONS})", name="stop_reason"),
        CheckConstraint("jsonb_typeof(settings) = 'object'", name="settings_is_object"),
        CheckConstraint("(profile_version_id IS NULL) = (settings ->> 'profile' IS NULL)", name="profile_of_settings"),
        CheckConstraint("jsonb_typeof(tags) = 'array'", name="tags_is_list"),
        # Of the searches of the list, and of its orders by a number or a name.
        Index("ix_run_file_system", "file_system", "id"),
        Index("ix_run_tags", "tags", postgresql_using="gin"),
        Index("ix_run_archived", "id", postgresql_where=text("archived_at IS NOT NULL")),
        Index("ix_run_name", "name", "id"),
        Index("ix_run_fullness", text("coalesce(fullness, -1)"), "id"),
        Index("ix_run_age_rmse", text("coalesce(age_rmse, 2)"), "id"),
        *checks(),
    )

    id: Mapped[int] = mapped_column(ForeignKey("job.id"), primary_key=True)
    # Null for a workload.
    profile_version_id: Mapped[int | None] = mapped_column(ForeignKey("profile_version.id"), index=True)
    extends_id: Mapped[int | None] = mapped_column(ForeignKey("run.id"), index=True)  # the run that it extends
    settings: Mapped[JsonObject]  # RunSettings in force: with a seed and a version
    asked_conditions: Mapped[JsonObject | None]  # requested, not yet in force
    pause_requested_at: Mapped[datetime | None]  # null again once it is to resume
    name: Mapped[str] = mapped_column(server_default="", default="")  # empty: it has only its number
    tags: Mapped[JsonList] = mapped_column(server_default="[]", default=list)
    note: Mapped[str] = mapped_column(default="")
    archived_at: Mapped[datetime | None]
    # The batch it was started in. The foreign key is declared in the later stage, in batch/models.py.
    batch_id: Mapped[int | None] = mapped_column(BigInteger, index=True)

    stop_reason: Mapped[StopReason | None]
    plan: Mapped[JsonObject | None]  # RunPlan
    summary: Mapped[JsonObject | None]
    prediction: Mapped[JsonObject | None]  # Prediction, of an aging on an emulated disk with a model
    # Copied from the documents, for lists.
    file_system: Mapped[str | None] = mapped_column(Computed("settings ->> 'file_system'", persisted=True))
    fullness: Mapped[float | None] = mapped_column(
        Double, Computed("(settings ->> 'fullness')::double precision", persisted=True)
    )
    age_rmse: Mapped[float | None] = mapped_column(
        Double, Computed("(summary #>> '{histograms,age,rmse}')::double precision", persisted=True)
    )
    recipe: Mapped[JsonObject | None]
    operation_log_bytes: Mapped[int | None] = mapped_column(BigInteger)  # null: no log on its host
    survivors_bytes: Mapped[int | None] = mapped_column(BigInteger)  # of the log of its survivors; null: none

    profile_version: Mapped[ProfileVersion | None] = relationship(lazy="joined")

    @property
    def profile(self) -> Profile | None:
        """Returns the profile of its version; None for a workload."""
        return None if self.profile_version is None else self.profile_version.profile

    @property
    def reproduces_id(self) -> int | None:
        """Returns the image whose recipe it carries out again."""
        return self.request.get("reproduces_id")

    @property
    def image_name(self) -> str | None:
        """Returns the name that its image is to have."""
        return self.request.get("image_name")

    @property
    def in_force(self) -> RunSettings:
        """Returns its settings."""
        return RunSettings.model_validate(self.settings)

    @property
    def fullness_of_files(self) -> float | None:
        """Returns the planned fullness of the files, if there is a plan: below a goal of statfs. None for a replay."""
        return self.plan["fullness"] if self.plan and "fullness" in self.plan else self.in_force.fullness
