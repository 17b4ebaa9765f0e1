"""Table intake: the columns of imports only."""

from pathlib import Path

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.file_name import file_below, is_file_name
from patina.image.content import Format
from patina.image.models import Image
from patina.job.models import Job
from patina.settings import settings


class Intake(Job, kind="import"):
    """A file, and the image to be made of it. While it is open it reserves the image's name: that is its turn."""

    __tablename__ = "intake"
    __table_args__ = (
        is_file_name("spool_name"),
        CheckConstraint("format IN ('raw', 'raw.zst', 'qcow2', 'oci.tar')", name="format"),
        CheckConstraint("received_bytes BETWEEN 0 AND size_bytes", name="received_bytes_in_range"),
        CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name="sha256"),
    )

    id: Mapped[int] = mapped_column(ForeignKey("job.id"), primary_key=True)
    image_id: Mapped[int | None] = mapped_column(ForeignKey("image.id"))
    format: Mapped[Format | None]  # null until it is known from the file's first bytes
    size_bytes: Mapped[int] = mapped_column(BigInteger)  # of the file
    received_bytes: Mapped[int] = mapped_column(BigInteger)  # durable
    sha256: Mapped[str | None]  # of the file, if the client sent it
    spool_name: Mapped[str] = mapped_column(unique=True)  # a file in the spool

    image: Mapped[Image | None] = relationship(lazy="joined")

    @property
    def file_name(self) -> str:
        """Returns the client's name of the file."""
        return str(self.request["file_name"])

    @property
    def spool_path(self) -> Path:
        """Returns the path of its file until it ends."""
        return file_below(settings().spool_dir, self.spool_name)
