"""Tables run, run_event and run_notice."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ColumnElement,
    Computed,
    Double,
    ForeignKey,
    Identity,
    Index,
    String,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.db import Base
from patina.device.file_system import FileSystem
from patina.device.models import Device, Lease
from patina.profile.models import ProfileVersion
from patina.run.event import CaptureMode
from patina.run.state import NoticeKind, Phase, RunState, StopReason
from patina.run.way import AGING_MODES, AgingMode, FullnessOf

_STATES = ", ".join(f"'{s}'" for s in RunState)
_PHASES = ", ".join(f"'{p}'" for p in Phase)
_NOTICE_KINDS = ", ".join(f"'{s}'" for s in NoticeKind)
_FILE_SYSTEMS = ", ".join(f"'{f}'" for f in FileSystem)
_AGING_MODES = ", ".join(f"'{m}'" for m in AGING_MODES)
_STOP_REASONS = ", ".join(f"'{r}'" for r in StopReason)


class Run(Base):
    """One aging: what was asked for, how far it is, what came of it."""

    __tablename__ = "run"
    __table_args__ = (
        CheckConstraint("jsonb_typeof(confirmed) = 'object'", name="confirmed_is_object"),
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        CheckConstraint(f"phase IN ({_PHASES})", name="phase"),
        CheckConstraint(f"stop_reason IN ({_STOP_REASONS})", name="stop_reason"),
        CheckConstraint("fullness > 0 AND fullness < 1", name="fullness"),
        CheckConstraint("fullness_of IN ('files', 'statfs')", name="fullness_of"),
        CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name="failed_has_code"),
        CheckConstraint(
            "lease_id IS NOT NULL OR state IN ('queued', 'canceled', 'failed')", name="waiting_has_no_lease"
        ),
        CheckConstraint(f"file_system IN ({_FILE_SYSTEMS})", name="file_system"),
        CheckConstraint(f"mode IN ({_AGING_MODES})", name="mode"),
        CheckConstraint("capture_mode IN ('exact', 'allocated', 'metadata')", name="capture_mode"),
        Index("ix_run_state", "state"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id"), index=True)
    profile_version_id: Mapped[int] = mapped_column(ForeignKey("profile_version.id"))
    lease_id: Mapped[int | None] = mapped_column(ForeignKey("lease.id"))  # null while it waits for a busy device
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
    note: Mapped[str] = mapped_column(default="")
    resumes_left_count: Mapped[int] = mapped_column(default=0)  # how often it may still go on without anybody asking
    confirmed: Mapped[dict]  # type: ignore[type-arg]  # the identity the user confirmed, checked at writing
    idempotency_key: Mapped[str | None] = mapped_column(unique=True)
    asked: Mapped[dict | None]  # type: ignore[type-arg]  # what the key stands for: all but the confirmation
    # The batch it was started in. The foreign key stands with the later stage, in batch/models.py.
    batch_id: Mapped[int | None] = mapped_column(BigInteger, index=True)

    state: Mapped[RunState]
    phase: Mapped[Phase | None]
    stop_reason: Mapped[StopReason | None]
    cancel_requested_at: Mapped[datetime | None]
    pause_requested_at: Mapped[datetime | None]  # null again once it is to go on
    error_code: Mapped[str | None]
    error_message: Mapped[str | None]
    error_log: Mapped[str | None]  # the tail of the failed program's stderr
    progress_fraction: Mapped[float]  # of the current phase
    eta_s: Mapped[float | None]
    last_sequence: Mapped[int] = mapped_column(BigInteger)  # of its events
    plan: Mapped[dict | None]  # type: ignore[type-arg]
    summary: Mapped[dict | None]  # type: ignore[type-arg]
    # Of the summary, for lists: they read no document.
    age_rmse: Mapped[float | None] = mapped_column(
        Double, Computed("(summary #>> '{histograms,age,rmse}')::double precision", persisted=True)
    )
    recipe: Mapped[dict | None]  # type: ignore[type-arg]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    device: Mapped[Device] = relationship(lazy="joined")
    profile_version: Mapped[ProfileVersion] = relationship(lazy="joined")
    lease: Mapped[Lease | None] = relationship(lazy="joined")

    @property
    def fullness_of_files(self) -> float:
        """What the plan is made for, once it is there: with a goal of statfs, less than that."""
        return self.fullness if self.plan is None else float(self.plan["fullness"])

    @hybrid_property
    def is_waiting(self) -> bool:
        """Whether it waits for a device that somebody else holds."""
        return self.state == RunState.QUEUED and self.lease_id is None

    @is_waiting.inplace.expression
    @classmethod
    def _is_waiting(cls) -> ColumnElement[bool]:
        return (cls.state == RunState.QUEUED) & cls.lease_id.is_(None)


class RunEventRow(Base):
    """One stored event. Within a run `sequence` rises from 1; `follows` is that of the stored event before it, or 0."""

    __tablename__ = "run_event"
    __table_args__ = (CheckConstraint("follows >= 0 AND follows < sequence", name="follows_before"),)

    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"), primary_key=True)
    sequence: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    follows: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    payload: Mapped[dict]  # type: ignore[type-arg]


class RunNotice(Base):
    """That a run ended, or needs somebody: the outbox of whoever passes it on. Written with the event it tells of."""

    __tablename__ = "run_notice"
    __table_args__ = (
        UniqueConstraint("run_id", "sequence"),
        CheckConstraint(f"kind IN ({_NOTICE_KINDS})", name="kind"),
        Index("ix_run_notice_to_pass_on", "id", postgresql_where=text("passed_on_at IS NULL")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    uid: Mapped[UUID] = mapped_column(unique=True, server_default=func.gen_random_uuid())  # the world's name for it
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"))
    sequence: Mapped[int] = mapped_column(BigInteger)  # of the event
    kind: Mapped[NoticeKind]
    message: Mapped[str]
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    passed_on_at: Mapped[datetime | None]
