"""Schemas of garbage collections."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from patina.core.contract.image import BucketFigures, CollectSummary
from patina.job.schemas import JobRead


class CollectionCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    is_dry_run: bool = False
    host_name: str | None = Field(default=None, description="Default: the only host")


class StoreRead(BaseModel):
    """The chunk store of a host, as its last collection found and left it."""

    model_config = ConfigDict(from_attributes=True)

    host_id: int
    chunks_count: int
    bytes: int = Field(description="Compressed, of kept chunks and of those within the grace period")
    measured_at: datetime


class StoreList(BaseModel):
    """Stores of hosts that have had a collection."""

    items: list[StoreRead]


class CollectionSummary(CollectSummary):
    """Chunks kept and removed in the host's folder, and in the bucket."""

    bucket: BucketFigures | None = Field(default=None, description="null without a bucket")


class CollectionRequest(BaseModel):
    """One collection of a host's store."""

    is_dry_run: bool
    grace_s: int = Field(description="Grace period: chunks of images deleted within it are kept")


class CollectionRead(JobRead):
    request: CollectionRequest
    result: CollectionSummary | None
