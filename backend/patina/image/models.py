"""Tables image, the catalog; image_tag and image_naming, its names; image_download, the digests of downloads."""

from datetime import datetime
from enum import StrEnum
from typing import get_args

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    ColumnElement,
    Computed,
    FetchedValue,
    ForeignKey,
    Identity,
    Index,
    String,
    UniqueConstraint,
    false,
    func,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, TSVECTOR
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.account.models import Account, Visibility
from patina.account.visibility import Shared, rules
from patina.core.contract.age import CaptureMode
from patina.db import Base, JsonObject
from patina.file_name import is_file_name
from patina.file_system.table import UNKNOWN_CONTENT
from patina.host.models import Host
from patina.profile.models import ProfileVersion
from patina.run.models import Run

TAG_PATTERN = r"^([a-z0-9][a-z0-9._-]{0,38}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}:[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$"
DESCRIPTION_CHARS = 20_000
_MODES = ", ".join(f"'{mode}'" for mode in get_args(CaptureMode))


class Origin(StrEnum):
    """Origin of an image: aged by a run, made by a trial of another image, or imported from a file."""

    AGED = "aged"
    TRIAL = "trial"
    IMPORTED = "imported"


_ORIGINS = ", ".join(f"'{origin}'" for origin in Origin)


class Image(Shared, Base):
    """A captured device. The row is written after the index, the index after the chunks.

    It has the facts of the run that aged it, or of its import; a trial's image has those of its parent.
    """

    __tablename__ = "image"
    __table_args__ = (
        CheckConstraint(f"mode IN ({_MODES})", name="mode"),
        CheckConstraint(f"origin IN ({_ORIGINS})", name="origin"),
        CheckConstraint("(origin = 'trial') = (parent_id IS NOT NULL)", name="trial_has_parent"),
        CheckConstraint("origin = 'trial' OR (origin = 'aged') = (run_id IS NOT NULL)", name="aged_has_run"),
        CheckConstraint("(run_id IS NULL) = (intake IS NOT NULL)", name="run_or_intake"),
        CheckConstraint("num_nulls(fullness, recipe, summary) IN (0, 3)", name="aging_is_whole"),
        CheckConstraint("run_id IS NULL OR recipe IS NOT NULL", name="aged_has_recipe"),
        CheckConstraint("run_id IS NULL OR file_system IS NOT NULL", name="aged_has_file_system"),
        is_file_name("index_name"),
        *rules(),
        Index("ix_image_team", "team_id", postgresql_where=text("team_id IS NOT NULL AND deleted_at IS NULL")),
        CheckConstraint("intake IS NULL OR intake ->> 'kind' IN ('unaged', 'foreign', 'patina')", name="intake_kind"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    origin: Mapped[Origin]
    run_id: Mapped[int | None] = mapped_column(ForeignKey("run.id"), index=True)  # that aged it or its first ancestor
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("image.id"), index=True)  # held before a trial
    reproduces_id: Mapped[int | None] = mapped_column(ForeignKey("image.id"))  # whose recipe made it again
    # Null for a workload too.
    profile_version_id: Mapped[int | None] = mapped_column(ForeignKey("profile_version.id"), index=True)
    name: Mapped[str] = mapped_column(unique=True)
    published_name: Mapped[str]  # its first name, which the manifest has
    # Copied from image_tag by a trigger, in order.
    tags: Mapped[list[str]] = mapped_column(ARRAY(String), server_default="{}", server_onupdate=FetchedValue())
    description: Mapped[str] = mapped_column(server_default="", default="", deferred=True)  # Markdown
    is_protected: Mapped[bool] = mapped_column(server_default=false(), default=False)  # from deletion
    file_system: Mapped[str | None]  # null: unknown
    fullness: Mapped[float | None]  # achieved, by statfs where it was measured, else by the model
    mode: Mapped[CaptureMode] = mapped_column(String)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    stored_bytes: Mapped[int] = mapped_column(BigInteger)
    index_digest: Mapped[str] = mapped_column(index=True)
    index_name: Mapped[str] = mapped_column(unique=True)  # a file in the index folder
    host_id: Mapped[int | None] = mapped_column(ForeignKey("host.id"))  # whose store has it; null: unknown
    bucket: Mapped[str | None]  # that has it too; null: none, or not recorded
    recipe: Mapped[JsonObject | None]
    summary: Mapped[JsonObject | None]
    # Copied from the summary, for lists; as text, because lists only pass it on.
    age: Mapped[JsonObject | None] = mapped_column(
        JSON, Computed("(summary #> '{histograms,age}')::json", persisted=True), deferred=True
    )
    # Copied from the recipe, for lists.
    workload: Mapped[str | None] = mapped_column(Computed("recipe ->> 'workload'", persisted=True))
    intake: Mapped[JsonObject | None]  # its import, or that of its first ancestor
    capture: Mapped[JsonObject]
    # Measured just before the capture; null where the file system cannot be measured. Large, so loaded on demand.
    layout: Mapped[JsonObject | None] = mapped_column(deferred=True)
    # False if the files' data is not on the disk, or not in the image; null: not measured.
    is_readable: Mapped[bool | None] = mapped_column(
        Computed(
            "CASE WHEN mode = 'metadata' OR recipe ->> 'data_mode' = 'sparse' THEN false "
            "ELSE (layout #>> '{files,unwritten_blocks_count}')::bigint = 0 END",
            persisted=True,
        )
    )
    manifest_digest: Mapped[str | None] = mapped_column(index=True)  # null for images older than manifests
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    deleted_at: Mapped[datetime | None]  # removed from the catalog; its chunks are collected after the grace period

    run: Mapped[Run | None] = relationship(lazy="joined")
    profile_version: Mapped[ProfileVersion | None] = relationship(lazy="joined")
    host: Mapped[Host | None] = relationship(lazy="joined")
    parent: Mapped["Image | None"] = relationship(remote_side=[id], foreign_keys=[parent_id])

    @property
    def is_deleted(self) -> bool:
        """Returns whether it is deleted from the catalog; it may be brought back."""
        return self.deleted_at is not None

    @hybrid_property
    def is_content_known(self) -> bool:
        """Returns whether its import found known content, or a blank file; true for an aged image."""
        return self.intake is None or self.intake["holds"] != UNKNOWN_CONTENT

    @is_content_known.inplace.expression
    @classmethod
    def _is_content_known(cls) -> ColumnElement[bool]:
        return func.coalesce(func.jsonb_extract_path_text(cls.intake, "holds") != UNKNOWN_CONTENT, true())


class ImageTag(Base):
    """A name that moves from image to image: `name:tag`, or `team/name:tag`, which members of the team move."""

    __tablename__ = "image_tag"
    __table_args__ = (
        CheckConstraint(f"reference ~ '{TAG_PATTERN}'", name="reference"),
        CheckConstraint("(team_id IS NULL) = (strpos(reference, '/') = 0)", name="team_is_named"),
        {"info": {"of_hosts": ""}},
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    reference: Mapped[str] = mapped_column(unique=True)
    team_id: Mapped[int | None] = mapped_column(ForeignKey("team.id"), index=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id", ondelete="CASCADE"), index=True)

    image: Mapped[Image] = relationship()

    @property
    def label(self) -> str:
        """Returns its name in the audit trail."""
        return f"tag {self.reference}"


class ImageNaming(Base):
    """A moment at which a name or a tag began to name an image, or ceased to."""

    __tablename__ = "image_naming"
    __table_args__ = (
        CheckConstraint("num_nonnulls(image_id, earlier_image_id) > 0", name="names_an_image"),
        {"info": {"of_hosts": "", "is_audited": False}},  # the audit trail has the image and the tag
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    reference: Mapped[str] = mapped_column(index=True)
    image_id: Mapped[int | None] = mapped_column(ForeignKey("image.id", ondelete="CASCADE"), index=True)
    earlier_image_id: Mapped[int | None] = mapped_column(ForeignKey("image.id", ondelete="CASCADE"), index=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))  # null: Patina itself
    named_at: Mapped[datetime] = mapped_column(server_default=func.now())

    account: Mapped[Account | None] = relationship(lazy="joined")
    image: Mapped[Image | None] = relationship(foreign_keys=[image_id])
    earlier_image: Mapped[Image | None] = relationship(foreign_keys=[earlier_image_id])


class ImageEntry(Base):
    """What a search of the catalog reads of an image. A trigger writes it with the image, and removes it when the image
    is deleted. Narrow: a search may read all of them."""

    __tablename__ = "image_entry"
    __table_args__ = (Index("ix_image_entry_words", "words", postgresql_using="gin"),)

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str]
    origin: Mapped[str]
    file_system: Mapped[str | None]
    profile: Mapped[str | None]
    workload: Mapped[str | None]
    kernel: Mapped[str | None]
    device_model: Mapped[str | None]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    stored_bytes: Mapped[int] = mapped_column(BigInteger)
    fullness: Mapped[float | None]
    words: Mapped[str] = mapped_column(TSVECTOR, deferred=True)  # of its texts, as search.py splits them
    visibility: Mapped[Visibility]
    account_id: Mapped[int | None] = mapped_column(BigInteger)
    team_id: Mapped[int | None] = mapped_column(BigInteger)


class SavedSearch(Base):
    """A search of the catalog, saved by an account under a name."""

    __tablename__ = "saved_search"
    __table_args__ = (
        UniqueConstraint("account_id", "name", name="uq_saved_search_account_id_name"),
        {"info": {"of_hosts": ""}},
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    name: Mapped[str]
    search: Mapped[JsonObject]


class ImageDownload(Base):
    """The SHA-256 of an image in one format, once computed, valid only for the bytes that `etag` names."""

    __tablename__ = "image_download"
    __table_args__ = (
        CheckConstraint("format IN ('raw', 'raw.zst', 'qcow2')", name="format"),
        CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name="sha256"),
        CheckConstraint("size_bytes >= 0", name="size_bytes_not_negative"),
        {"info": {"of_hosts": ""}},  # digests that clients trust
    )

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id", ondelete="CASCADE"), primary_key=True)
    format: Mapped[str] = mapped_column(primary_key=True)
    etag: Mapped[str]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str]
    computed_at: Mapped[datetime] = mapped_column(server_default=func.now())
