"""Schemas of intakes."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from patina.account.schemas import Sharing
from patina.http.page import Page
from patina.image.content import Format
from patina.image.intake import IntakeKind
from patina.image.schemas import ImageLink
from patina.job.schemas import JobRead
from patina.run.image_name import ImageName


class IntakeCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: ImageName = Field(description="Name of the image: letters, digits, dots, dashes and underscores")
    kind: Literal[IntakeKind.UNAGED, IntakeKind.FOREIGN] = Field(description="An OCI archive states its own")
    source: Annotated[str, Field(max_length=2_000)] = Field(default="", description="Description of its origin")
    file_name: Annotated[str, Field(min_length=1, max_length=255)]
    format: Format | None = Field(default=None, description="Refused if the file has another; default: detected")
    size_bytes: Annotated[int, Field(ge=1, le=2**50)] = Field(description="Size of the file")
    host_name: str | None = Field(default=None, description="Default: the only host")
    sharing: Sharing | None = Field(default=None, description="Who sees the image; null: every account")


class IntakeFinish(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = Field(
        default=None, description="Of the whole file; compared before the import"
    )


class IntakeResult(BaseModel):
    """Result of an import."""

    image_id: int
    stored_bytes: int = Field(description="Compressed bytes of all distinct chunks of the image")
    new_bytes: int = Field(description="Compressed bytes new to the store")


class IntakeRead(JobRead):
    request: IntakeCreate
    result: IntakeResult | None
    image: ImageLink | None = Field(description="null until it has succeeded")
    format: Format | None = Field(description="null until it is known from the file's first bytes")
    size_bytes: int
    received_bytes: int = Field(description="Offset of the next byte to send")


class IntakePage(Page[IntakeRead]):
    """Imports, newest first. `next_cursor` is null on the last page."""
