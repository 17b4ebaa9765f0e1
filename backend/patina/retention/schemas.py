"""Schemas of retention rules and of the storage of teams."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Rule(BaseModel):
    """An image goes if it meets every condition that is given. It stays if it is protected, in use, or on a device."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    keep_last_count: Annotated[int, Field(ge=0, le=100_000)] | None = Field(
        None, description="The newest of each kind stay: of one profile, workload or import, and file system"
    )
    expire_after_s: Annotated[int, Field(ge=0, le=3_155_760_000)] | None = Field(
        None, description="Younger images stay"
    )
    keeps_tagged: bool = Field(True, description="Whether images with a tag stay")

    @model_validator(mode="after")
    def _delete_something(self) -> "Rule":
        if self.keep_last_count is None and self.expire_after_s is None:
            raise ValueError("give keep_last_count, expire_after_s, or both")
        return self


class RetentionImage(BaseModel):
    """An image that the rule deletes."""

    id: int
    name: str
    reason: str
    created_at: datetime


class RetentionPreview(BaseModel):
    """What a rule would delete now."""

    items: list[RetentionImage] = Field(description="The newest first")
    kept_count: int = Field(description="Images shared with the team that stay")
    grace_s: int = Field(description="Grace period, in which a deleted image can be brought back")


class RetentionRead(BaseModel):
    rule: Rule | None = Field(description="null: the team's images stay until they are deleted")
    preview: RetentionPreview | None = Field(description="What it deletes next; null without a rule")


class RetentionRequest(BaseModel):
    """The images of the preview that was looked at."""

    model_config = ConfigDict(extra="forbid")

    image_ids: Annotated[list[int], Field(max_length=100_000)]


class TeamStorage(BaseModel):
    """What the images shared with a team take."""

    images_count: int
    size_bytes: int = Field(description="Of the devices")
    own_bytes: int | None = Field(
        description="Compressed bytes of chunks that no image outside the team has; null if no image of the team is in "
        "this server's store or bucket"
    )
    shared_bytes: int | None = Field(description="Compressed bytes of chunks that other images have too; null likewise")
    elsewhere_count: int = Field(description="Images in another host's store, whose chunks are not counted")
