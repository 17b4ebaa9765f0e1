"""Requests and responses of links that show something."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

HOUR_S = 3600


class Shown(BaseModel):
    """What a link shows: one of these."""

    model_config = ConfigDict(extra="forbid")

    image_id: int | None = Field(None, ge=1, lt=2**63)
    profile: str | None = Field(None, max_length=100, description="The name of a profile")
    job_id: int | None = Field(None, ge=1, lt=2**63, description="The number of a run, a trial or a study")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if len({"image_id", "profile", "job_id"} & self.model_dump(exclude_none=True).keys()) != 1:
            raise ValueError("name an image, a profile or a job")
        return self


class SharedLinkCreate(Shown):
    expires_in_s: int = Field(default=7 * 24 * HOUR_S, ge=1, le=90 * 24 * HOUR_S)


class SharedLinkRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    created_at: datetime
    expires_at: datetime


class SharedLinkList(BaseModel):
    items: list[SharedLinkRead]


class SharedLinkMade(SharedLinkRead):
    token: str = Field(description="Shown once: the server stores a digest")
    url: str


class ShownRead(BaseModel):
    """What an opened link shows: the members of one kind are not null."""

    image_id: int | None = None
    profile: str | None = Field(None, description="The name of a profile")
    run_id: int | None = None
    trial_id: int | None = None
    study_id: int | None = None
