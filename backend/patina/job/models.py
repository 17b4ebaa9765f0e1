"""Tables job, job_event and job_notice."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ColumnElement,
    Double,
    ForeignKey,
    Identity,
    Index,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.account.visibility import Shared, is_seen, rules
from patina.db import Base, JsonObject
from patina.device.models import Device, Lease
from patina.host.models import Host
from patina.job.state import ENDED, JobState, NoticeKind, in_sql

_NOTICE_KINDS = ", ".join(f"'{kind}'" for kind in NoticeKind)


class Job(Shared, Base):
    """Work requested of a host: request, progress, result.

    Each kind is a subclass; one with further columns has them in a table whose key is the job's id. A job with a
    device holds the device's lease while a worker may work on it.
    """

    __tablename__ = "job"
    __table_args__: Any = (
        CheckConstraint(f"state IN ({in_sql(JobState)})", name="state"),
        CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name="failed_has_code"),
        CheckConstraint("jsonb_typeof(confirmed) = 'object'", name="confirmed_is_object"),
        CheckConstraint("(device_id IS NULL) = (confirmed IS NULL)", name="device_is_confirmed"),
        CheckConstraint(
            "device_id IS NULL OR lease_id IS NOT NULL OR state IN ('queued', 'canceled', 'failed')",
            name="waiting_has_no_lease",
        ),
        # At most one open job has a turn.
        Index("uq_job_turn", "turn", unique=True, postgresql_where=text(f"state NOT IN ({in_sql(ENDED)})")),
        Index("ix_job_open", "host_id", postgresql_where=text(f"state NOT IN ({in_sql(ENDED)})")),
        Index("ix_job_kind", "kind", "id"),
        Index("ix_job_device_id", "device_id", "id"),
        Index("ix_job_lease_id", "lease_id"),
        # Of the searches of the list of runs.
        Index("ix_job_host_id", "host_id", "id"),
        Index("ix_job_run_state", "state", "id", postgresql_where=text("kind = 'run'")),
        Index("ix_job_run_created_at", "created_at", "id", postgresql_where=text("kind = 'run'")),
        Index(
            "ix_job_run_size",
            text("coalesce((confirmed ->> 'size_bytes')::bigint, 0)"),
            "id",
            postgresql_where=text("kind = 'run'"),
        ),
        *rules(),
    )
    __mapper_args__ = {"polymorphic_on": "kind"}  # noqa: RUF012  # as SQLAlchemy declares it

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    kind: Mapped[str]  # of kind.py
    host_id: Mapped[int] = mapped_column(ForeignKey("host.id"))
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id"), nullable=True)  # null: a kind without a device
    lease_id: Mapped[int | None] = mapped_column(ForeignKey("lease.id"))  # null while it waits for a busy device
    confirmed: Mapped[JsonObject | None]  # the device's identity, as its user confirmed it
    request: Mapped[JsonObject]  # the request, without the confirmation
    idempotency_key: Mapped[str | None] = mapped_column(unique=True)
    turn: Mapped[str | None]  # work that only one job at a time may do: "scan of host 3"
    is_automatic: Mapped[bool] = mapped_column(default=False)  # started by Patina, not by a user
    resumes_left_count: Mapped[int] = mapped_column(default=0)  # remaining automatic resumes

    state: Mapped[JobState]
    attempt: Mapped[int] = mapped_column(default=0)  # how often a worker has begun it
    stop_requested_at: Mapped[datetime | None]
    phase: Mapped[str | None]  # one of the kind's
    message: Mapped[str] = mapped_column(default="")  # its current work, or how it ended
    done: Mapped[float] = mapped_column(Double, default=0.0)  # of the phase
    total: Mapped[float | None] = mapped_column(Double)  # null: unknown
    unit: Mapped[str] = mapped_column(default="")  # of both: "bytes", "files"; empty: a fraction
    eta_s: Mapped[float | None]
    error_code: Mapped[str | None]
    error_log: Mapped[str | None]  # the tail of the failed program's stderr
    result: Mapped[JsonObject | None]
    last_sequence: Mapped[int] = mapped_column(BigInteger, default=0)  # of its events
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    touched_at: Mapped[datetime] = mapped_column(server_default=func.now())  # of its last move or received byte
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    host: Mapped[Host] = relationship(lazy="joined")
    device: Mapped[Device] = relationship(lazy="joined")  # as device_id
    lease: Mapped[Lease | None] = relationship(lazy="joined")

    def __init_subclass__(cls, *, kind: str = "", **options: Any) -> None:
        """Registers a subclass: for one kind, or a common base of several."""
        cls.__mapper_args__ = {"polymorphic_identity": kind} if kind else {"polymorphic_abstract": True}
        super().__init_subclass__(**options)

    @property
    def label(self) -> str:
        """Returns its name for users: "run 42"."""
        return f"{self.kind} {self.id}"

    @property
    def seen_label(self) -> str:
        """Returns its name for the sender of this request: of a job that is not seen, no number."""
        return self.label if is_seen(self) else f"a private {self.kind}"

    @hybrid_property
    def is_waiting(self) -> bool:
        """Returns whether it waits for a device that another job holds."""
        return self.state == JobState.QUEUED and self.device_id is not None and self.lease_id is None

    @is_waiting.inplace.expression
    @classmethod
    def _is_waiting(cls) -> ColumnElement[bool]:
        return (cls.state == JobState.QUEUED) & cls.device_id.is_not(None) & cls.lease_id.is_(None)

    @hybrid_property
    def progress_fraction(self) -> float:
        """Returns the completed fraction of the phase; 0 if its total is unknown."""
        return self.done / self.total if self.total else 0.0

    @progress_fraction.inplace.expression
    @classmethod
    def _progress_fraction(cls) -> ColumnElement[float]:
        return func.coalesce(cls.done / func.nullif(cls.total, 0), 0)


class JobEvent(Base):
    """A stored event. Within a job `sequence` rises from 1; `follows` is that of the previous stored event, or 0."""

    __tablename__ = "job_event"
    __table_args__ = (CheckConstraint("follows >= 0 AND follows < sequence", name="follows_before"),)

    job_id: Mapped[int] = mapped_column(ForeignKey("job.id"), primary_key=True)
    sequence: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    follows: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    payload: Mapped[JsonObject]


class JobNotice(Base):
    """A job's end, or its need of a user: the outbox of notices and webhooks. Written with its event."""

    __tablename__ = "job_notice"
    __table_args__ = (
        UniqueConstraint("job_id", "sequence"),
        CheckConstraint(f"kind IN ({_NOTICE_KINDS})", name="kind"),
        Index("ix_job_notice_to_pass_on", "id", postgresql_where=text("passed_on_at IS NULL")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    uid: Mapped[UUID] = mapped_column(unique=True, server_default=func.gen_random_uuid())  # its public id
    job_id: Mapped[int] = mapped_column(ForeignKey("job.id"))
    sequence: Mapped[int] = mapped_column(BigInteger)  # of the event
    kind: Mapped[NoticeKind]
    message: Mapped[str]
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    passed_on_at: Mapped[datetime | None]
