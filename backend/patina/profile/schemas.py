"""Schemas of profiles."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from patina.account.schemas import SharedRead
from patina.errors import Problem
from patina.profile.histogram import AgeBin, DepthBin, Histograms, SizeBin

NAME_PATTERN = r"^[a-z0-9][a-z0-9-]{0,62}$"
MAX_TAGS_COUNT = 20


def _not_reserved(name: str) -> str:
    if name == "new":
        raise ValueError("the page for new profiles has this name; choose another one")
    return name


def _distinct(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(tags))


# A line has no control characters; a text may have line breaks and tabs. PostgreSQL cannot store NUL.
LINE = r"^[^\x00-\x1f\x7f]*$"
_TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"

Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
Title = Annotated[str, StringConstraints(pattern=LINE, strip_whitespace=True, min_length=1, max_length=200)]
Author = Annotated[str, StringConstraints(pattern=LINE, strip_whitespace=True, min_length=1, max_length=100)]
Message = Annotated[str, StringConstraints(pattern=_TEXT, strip_whitespace=True, min_length=1, max_length=2_000)]
Description = Annotated[str, StringConstraints(pattern=_TEXT, max_length=20_000), Field(description="Markdown")]
Source = Annotated[str, StringConstraints(pattern=_TEXT, max_length=2_000), Field(description="A citation")]
Tag = Annotated[str, StringConstraints(pattern=LINE, strip_whitespace=True, min_length=1, max_length=40)]
Tags = Annotated[list[Tag], Field(max_length=MAX_TAGS_COUNT), AfterValidator(_distinct)]
VersionNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]


class ProfileParent(BaseModel):
    """The version that a profile was forked from."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    name: Name
    number: VersionNumber


class ProfileVersionCreate(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    histograms: Histograms
    message: Message = Field(description="What is new in this version")
    author: Author


class ProfileCreate(ProfileVersionCreate):
    """A profile with its first version."""

    name: Annotated[Name, AfterValidator(_not_reserved)]
    title: Title
    description: Description = ""
    source: Source = ""
    tags: Tags = Field(default_factory=list)
    parent: ProfileParent | None = Field(default=None, description="The version that it is forked from")


class ProfileUpdate(BaseModel):
    """Text members of a profile. Absent ones stay as they are."""

    model_config = ConfigDict(extra="forbid")

    title: Title | None = None
    description: Description | None = None
    source: Source | None = None
    tags: Tags | None = None


class ProfileVersionLink(BaseModel):
    """A version without its histograms."""

    model_config = ConfigDict(from_attributes=True)

    number: int
    message: str
    author: str
    digest: str = Field(description="SHA-256, hex, of the normalised histograms")
    created_at: datetime


class ProfileVersionList(BaseModel):
    """Newest first."""

    items: list[ProfileVersionLink]


class ProfileVersionRead(ProfileVersionLink):
    id: int
    size: list[SizeBin]
    depth: list[DepthBin]
    age: list[AgeBin]


class ProfileRead(SharedRead):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    title: str
    description: str = Field(description="Markdown, not sanitised: clients that render it must sanitise it")
    source: str
    is_builtin: bool = Field(description="Came with Patina; cannot be changed, only forked")
    tags: list[str]
    archived_at: datetime | None
    parent: ProfileParent | None = Field(
        validation_alias="seen_parent", description="The version that it was forked from; null: none, or not seen"
    )
    created_at: datetime
    versions_count: int
    latest_version: ProfileVersionRead


class ProfileList(BaseModel):
    items: list[ProfileRead]


class ProfileUse(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str = Field(description="Empty: it has none")


class ProfileUses(BaseModel):
    """Uses of one kind, of those that the sender sees."""

    count: int
    newest: list[ProfileUse] = Field(description="At most five, newest first")


class ProfileVersionUses(BaseModel):
    """What used a version."""

    number: int
    runs: ProfileUses = Field(description="That aged to it")
    images: ProfileUses = Field(description="Aged to it; no deleted ones")
    trials: ProfileUses = Field(description="That measure such an image, or will")


class ProfileVersionUsesList(BaseModel):
    """The versions that were used, newest first."""

    items: list[ProfileVersionUses]


class CurrentVersion(BaseModel):
    """The latest version, which another user saved."""

    model_config = ConfigDict(from_attributes=True)

    number: int
    message: str
    author: str
    created_at: datetime


class ProfileChangedProblem(Problem):
    """The refusal `profile_changed`."""

    current: CurrentVersion
