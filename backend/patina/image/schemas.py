"""What the API says of images."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from patina.core.contract.age import AgeSummary, CaptureMode, CaptureSummary, SummaryHistogram
from patina.core.contract.workload import RunPlan, WorkloadName
from patina.http.page import Page
from patina.image.content import Format
from patina.image.intake import IntakeFacts
from patina.image.models import Origin
from patina.run.recipe import Recipe


class ImageLink(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str


class ImagePlace(BaseModel):
    """Where its chunks are."""

    bucket: str | None = Field(description="The bucket that has it; null where none is known to")
    host: str | None = Field(description="In whose store it is; null where that is not known")
    is_host_healthy: bool | None
    is_host_removed: bool | None


class ImageRead(BaseModel):
    """An image with the facts of the run that aged it, or of the intake by which it came in."""

    id: int
    origin: Origin
    parent: ImageLink | None = Field(description="What the device held before the trial that this image is of")
    children: list[ImageLink]
    run_id: int | None = Field(description="This and all of the run is null of what was imported")
    device_id: int | None
    device_stable_id: str | None
    device_kind: Literal["sandbox", "attached"] | None
    name: str
    profile: str | None
    profile_title: str | None
    profile_version_number: int | None
    workload: WorkloadName | None = Field(description="In place of a profile")
    file_system: str | None = Field(description="null: none that is known")
    fullness: float | None = Field(
        description="Achieved, as the file system reports it; after a trial, by the free extents"
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
    intake: IntakeFacts | None = Field(description="How it came in, or its first ancestor; null of what was aged")
    capture: CaptureSummary
    place: ImagePlace
    created_at: datetime


class ImageItem(BaseModel):
    """An image in a list: without the documents that take most of it. The rest is behind its id."""

    id: int
    origin: Origin
    parent: ImageLink | None
    run_id: int | None
    device_stable_id: str | None
    name: str
    profile: str | None
    profile_title: str | None
    profile_version_number: int | None
    workload: WorkloadName | None = Field(description="In place of a profile")
    file_system: str | None
    fullness: float | None
    mode: CaptureMode
    is_readable: bool | None = Field(description="Whether reading its files reads the disk; null: not measured")
    size_bytes: int
    stored_bytes: int
    index_digest: str
    intake: IntakeFacts | None
    place: ImagePlace
    age: SummaryHistogram | None = Field(description="Achieved beside what was asked for; null of what was imported")
    created_at: datetime


class DownloadRead(BaseModel):
    """The image in one format, at `url`, which takes ranges; its digest in sha256sum's format at `sha256_url`."""

    format: Format
    file_name: str
    url: str
    sha256_url: str
    size_bytes: int
    etag: str
    sha256: str | None = Field(description="null until it has been asked for at sha256_url")
    digest_progress_fraction: float | None = Field(description="Of the digest that is being computed now; else null")


class ImageDownloads(BaseModel):
    items: list[DownloadRead]
    index_url: str
    extract_command: str = Field(description="The line that gives the device's bytes with casync, from this server")


class ImagePage(Page[ImageItem]):
    """Images, newest first. `next_cursor` is null on the last page."""


class DeletionRead(BaseModel):
    """What deleting an image would free, and who depends on it."""

    frees_bytes: int | None = Field(
        description="Compressed bytes of chunks that no other image has; null where another host's store has them"
    )
    frees_chunks_count: int | None
    shared_bytes: int | None = Field(description="Compressed bytes of its chunks that other images have; they stay")
    devices: list[str] = Field(description="Devices that hold it; they could not be rolled back to it any more")
    grace_s: int = Field(description="For so long it can be brought back; then its chunks are collected")
