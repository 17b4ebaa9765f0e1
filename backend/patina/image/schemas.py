"""Schemas of images."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from patina.account.models import Visibility
from patina.account.schemas import SharedRead
from patina.core.contract.age import AgeSummary, CaptureMode, CaptureSummary, SummaryHistogram
from patina.core.contract.workload import RunPlan, WorkloadName
from patina.http.page import Page
from patina.image.content import DownloadFormat
from patina.image.intake import IntakeFacts
from patina.image.models import DESCRIPTION_CHARS, Origin
from patina.job.state import JobState
from patina.run.image_name import ImageName
from patina.run.recipe import Recipe

Reference = Annotated[str, StringConstraints(min_length=1, max_length=250)]


class ImageLink(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str


class ImagePlace(BaseModel):
    """Place of its chunks."""

    bucket: str | None = Field(description="The bucket that has it; null: none, or unknown")
    host: str | None = Field(description="The host whose store has it; null: unknown")
    is_host_healthy: bool | None
    is_host_removed: bool | None


class ImageRead(SharedRead):
    """An image with the facts of the run that aged it, or of its import."""

    id: int
    origin: Origin
    parent: ImageLink | None = Field(description="For an image of a trial: the image that the device held before")
    children: list[ImageLink]
    reproduces_id: int | None = Field(description="The image whose recipe made it again")
    run_id: int | None = Field(description="null, like all members of the run, for an imported image")
    device_id: int | None
    device_stable_id: str | None
    device_kind: Literal["sandbox", "attached"] | None
    name: str
    tags: list[str]
    description: str = Field(description="Markdown")
    is_protected: bool = Field(description="Whether it cannot be deleted")
    profile: str | None
    profile_title: str | None
    profile_version_number: int | None
    workload: WorkloadName | None = Field(description="null for a run with a profile")
    file_system: str | None = Field(description="null: unknown")
    fullness: float | None = Field(
        description="Achieved, reported by the file system; after a trial, by the free extents"
    )
    mode: CaptureMode
    is_readable: bool | None = Field(description="Whether reading its files reads the disk; null: not measured")
    size_bytes: int
    stored_bytes: int
    index_digest: str
    manifest_digest: str | None = Field(description="SHA-256, hex, of manifest.json")
    recipe: Recipe | None
    plan: RunPlan | None
    summary: AgeSummary | None
    intake: IntakeFacts | None = Field(description="Its import, or its first ancestor's; null for an aged image")
    is_content_known: bool = Field(
        description="Whether its import found known content, or a blank file; true for an aged image"
    )
    capture: CaptureSummary
    place: ImagePlace
    created_at: datetime


class ImageChange(BaseModel):
    """Members that are given are changed, the others stay."""

    model_config = ConfigDict(extra="forbid")

    name: ImageName | None = None
    description: Annotated[str, Field(max_length=DESCRIPTION_CHARS)] | None = Field(None, description="Markdown")
    is_protected: bool | None = None


class TagCreate(BaseModel):
    """A tag to set: `name:tag`, or `team/name:tag`."""

    model_config = ConfigDict(extra="forbid")

    reference: Reference


class ImageNamingRead(BaseModel):
    """A moment at which a name or a tag began to name an image, or ceased to."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    reference: str = Field(description="A name, or `name:tag`, or `team/name:tag`")
    image: ImageLink | None = Field(description="That it named from then on; null: none, or one that is not shown")
    earlier_image: ImageLink | None = Field(description="That it named until then; likewise")
    account_name: str | None = Field(description="null: Patina itself")
    named_at: datetime


class ImageNamingList(BaseModel):
    """The most recent first."""

    items: list[ImageNamingRead]


class ImageItem(BaseModel):
    """An image, in a list, without its large documents. Get them by its id."""

    id: int
    origin: Origin
    parent: ImageLink | None
    run_id: int | None
    device_stable_id: str | None
    name: str
    tags: list[str]
    is_protected: bool
    profile: str | None
    profile_title: str | None
    profile_version_number: int | None
    workload: WorkloadName | None = Field(description="null for a run with a profile")
    file_system: str | None
    fullness: float | None
    mode: CaptureMode
    is_readable: bool | None = Field(description="Whether reading its files reads the disk; null: not measured")
    size_bytes: int
    stored_bytes: int
    index_digest: str
    intake: IntakeFacts | None
    is_content_known: bool
    place: ImagePlace
    age: SummaryHistogram | None = Field(description="Achieved and requested fractions; null for an imported image")
    visibility: Visibility
    created_at: datetime


class DownloadRead(BaseModel):
    """The image in one format, at `url`, which supports ranges; its digest in sha256sum's format at `sha256_url`."""

    format: DownloadFormat
    file_name: str
    url: str
    sha256_url: str
    size_bytes: int
    etag: str
    sha256: str | None = Field(description="null until it was requested at sha256_url")
    digest_progress_fraction: float | None = Field(description="Progress of the digest being computed; else null")


class ImageDownloads(BaseModel):
    items: list[DownloadRead]
    index_url: str
    extract_command: str = Field(description="Command that extracts the device's bytes from this server with casync")


class ImageLayers(BaseModel):
    layers_count: int = Field(description="Layers are numbered from 0")


ChunkDigest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


class ChunkQuestion(BaseModel):
    """Chunks of an image that a client is about to send."""

    model_config = ConfigDict(extra="forbid")

    digests: list[ChunkDigest] = Field(max_length=4_096, description="SHA-256, hex, of their uncompressed bytes")


class MissingChunks(BaseModel):
    """What a client has to send, and whether this server can read it."""

    digests: list[str] = Field(description="Those that this server lacks, in the order of the question")
    manifest_schema_version: int = Field(description="Version of the manifests that this server reads")


class ImagePage(Page[ImageItem]):
    """Images, newest first. `next_cursor` is null on the last page."""


class DeletedImageRead(BaseModel):
    """An image that can be brought back."""

    id: int
    name: str
    file_system: str | None
    size_bytes: int
    stored_bytes: int
    deleted_at: datetime
    kept_until: datetime = Field(description="Until when it can be brought back; then its chunks are collected")
    is_changeable: bool = Field(description="Whether who asks may bring it back, if the role allows that")


class DeletedImageList(BaseModel):
    items: list[DeletedImageRead] = Field(description="The last deleted first, at most 200")


class LineageImage(ImageLink):
    """An image of a lineage."""

    depth: int = Field(description="0 for the first ancestor; a child is one deeper than its parent")
    is_deleted: bool
    created_at: datetime


class DeviceOfImage(BaseModel):
    """A device that holds the image."""

    id: int
    name: str


class TrialOfImage(BaseModel):
    """A trial that measured the image, or will."""

    id: int
    name: str
    state: JobState


class ImageUse(BaseModel):
    """Lineage of an image, and what uses it. Each list has at most 200 items, and no row that is not shown."""

    lineage: list[LineageImage] = Field(
        description="The first ancestor and its descendants, each parent before its children"
    )
    devices: list[DeviceOfImage]
    trials: list[TrialOfImage] = Field(description="The newest first")


class DeletionRead(BaseModel):
    """The bytes that deleting an image would free, and the devices that depend on it."""

    frees_bytes: int | None = Field(
        description="Compressed bytes of chunks used by this image alone; null if they are in another host's store"
    )
    frees_chunks_count: int | None
    shared_bytes: int | None = Field(description="Compressed bytes of chunks shared with other images, which stay")
    devices: list[str] = Field(description="Devices that hold it; they can be rolled back until the grace period ends")
    grace_s: int = Field(description="Grace period, in which it can be brought back; then its chunks are collected")
