"""What the API says of deletions and collections."""

from pydantic import BaseModel, ConfigDict, Field

from patina.core.contract.image import BucketFigures, CollectSummary
from patina.job.schemas import JobRead


class DeletionRead(BaseModel):
    """What deleting an image would free, and who depends on it."""

    frees_bytes: int | None = Field(
        description="Compressed bytes of chunks that no other image has; null where another host's store has them"
    )
    frees_chunks_count: int | None
    shared_bytes: int | None = Field(description="Compressed bytes of its chunks that other images have; they stay")
    devices: list[str] = Field(description="Devices that hold it; they could not be rolled back to it any more")
    grace_s: int = Field(description="For so long it can be brought back; then its chunks are collected")


class CollectionCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    is_dry_run: bool = False
    host_name: str | None = Field(default=None, description="The only host when absent")


class CollectionSummary(CollectSummary):
    """What went from the host's folder, and from the bucket."""

    bucket: BucketFigures | None = Field(default=None, description="null without a bucket")


class CollectionRequest(BaseModel):
    """One collection of a host's store."""

    is_dry_run: bool
    grace_s: int = Field(description="Of images deleted less long ago the chunks are kept")


class CollectionRead(JobRead):
    request: CollectionRequest
    result: CollectionSummary | None
