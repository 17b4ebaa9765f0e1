"""What the API says of profiles."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from patina.profile.histogram import AgeBin, DepthBin, SizeBin


class ProfileVersionRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    number: int
    size: list[SizeBin]
    depth: list[DepthBin]
    age: list[AgeBin]
    created_at: datetime


class ProfileRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    title: str
    description: str
    source: str
    is_builtin: bool
    created_at: datetime
    latest_version: ProfileVersionRead


class ProfileList(BaseModel):
    items: list[ProfileRead]
