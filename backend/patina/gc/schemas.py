"""What the API says of garbage collections."""

from pydantic import BaseModel, ConfigDict, Field

from patina.core.contract.image import BucketFigures, CollectSummary
from patina.job.schemas import JobRead


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
