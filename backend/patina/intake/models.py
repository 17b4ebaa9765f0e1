"""Table intake: files on their way into the catalog, each an image to be."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.db import Base
from patina.file_name import file_below, is_file_name
from patina.host.models import Host
from patina.image.content import Format
from patina.image.intake import IntakeKind
from patina.image.models import Image
from patina.settings import settings


class IntakeState(StrEnum):
    UPLOADING = "uploading"
    QUEUED = "queued"
    RUNNING = "running"
    CANCELING = "canceling"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    INTERRUPTED = "interrupted"


_STATES = ", ".join(f"'{state}'" for state in IntakeState)


class Intake(Base):
    """Its states are a run's, with `uploading` before them. While it is open its name is kept for it."""

    __tablename__ = "intake"
    __table_args__ = (
        is_file_name("spool_name"),
        CheckConstraint("kind IN ('unaged', 'foreign')", name="kind"),
        CheckConstraint("format IN ('raw', 'raw.zst', 'qcow2')", name="format"),
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        CheckConstraint("received_bytes BETWEEN 0 AND size_bytes", name="received_bytes_in_range"),
        CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name="sha256"),
        CheckConstraint("(state = 'failed') = (error_code IS NOT NULL)", name="failed_has_code"),
        CheckConstraint("(state = 'succeeded') = (image_id IS NOT NULL)", name="succeeded_has_image"),
        Index(
            "uq_intake_open_name",
            "name",
            unique=True,
            postgresql_where=text("state NOT IN ('succeeded', 'failed', 'canceled')"),
        ),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    host_id: Mapped[int] = mapped_column(ForeignKey("host.id"))
    image_id: Mapped[int | None] = mapped_column(ForeignKey("image.id"))
    name: Mapped[str]  # of the image
    kind: Mapped[IntakeKind]
    source: Mapped[str]
    file_name: Mapped[str]
    format: Mapped[Format | None]  # null until the file has begun to say it
    size_bytes: Mapped[int] = mapped_column(BigInteger)  # of the file
    received_bytes: Mapped[int] = mapped_column(BigInteger)  # durable
    sha256: Mapped[str | None]  # of the file, when its sender told it
    spool_name: Mapped[str] = mapped_column(unique=True)  # a file in the spool
    idempotency_key: Mapped[str | None] = mapped_column(unique=True)

    state: Mapped[IntakeState]
    stop_requested_at: Mapped[datetime | None]
    done_bytes: Mapped[int] = mapped_column(BigInteger)
    total_bytes: Mapped[int] = mapped_column(BigInteger)
    message: Mapped[str]
    error_code: Mapped[str | None]
    error_log: Mapped[str | None]  # the tail of the failed program's stderr
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    touched_at: Mapped[datetime] = mapped_column(server_default=func.now())  # last byte, or last move
    finished_at: Mapped[datetime | None]

    host: Mapped[Host] = relationship(lazy="joined")
    image: Mapped[Image | None] = relationship(lazy="joined")

    @property
    def spool_path(self) -> Path:
        """Where its file lies until it has ended."""
        return file_below(settings().spool_dir, self.spool_name)
