"""What the API says and takes of intakes."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from patina.host.schemas import HostRead
from patina.image.content import Format
from patina.image.intake import IntakeKind
from patina.image.schemas import ImageLink
from patina.intake.models import IntakeState

# A letter somewhere: images are called by their number, too.
Name = Annotated[
    str, StringConstraints(pattern=r"^([0-9]+[._-]?)*[A-Za-z][A-Za-z0-9._-]*$", min_length=1, max_length=100)
]


class IntakeCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Name = Field(description="Of the image: letters, digits, dots, dashes and underscores")
    kind: IntakeKind
    source: Annotated[str, Field(max_length=2_000)] = Field(default="", description="Where it comes from, in words")
    file_name: Annotated[str, Field(min_length=1, max_length=255)]
    format: Format | None = Field(default=None, description="Refused when the file says another; found when absent")
    size_bytes: Annotated[int, Field(ge=1, le=2**50)] = Field(description="Of the file")
    host_name: str | None = Field(default=None, description="The only host when absent")


class IntakeFinish(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = Field(
        default=None, description="Of the whole file; compared before anything is made of it"
    )


class IntakeRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    host: HostRead
    image: ImageLink | None = Field(description="Once it has succeeded")
    name: str
    kind: IntakeKind
    source: str
    file_name: str
    format: Format | None = Field(description="null until the file has begun to say it")
    size_bytes: int
    received_bytes: int = Field(description="The offset of the next byte to send")
    state: IntakeState
    stop_requested_at: datetime | None
    done_bytes: int
    total_bytes: int
    message: str
    error_code: str | None
    error_log: str | None
    created_at: datetime
    touched_at: datetime
    finished_at: datetime | None


class IntakePage(BaseModel):
    """Newest first. `next_cursor` is null on the last page."""

    items: list[IntakeRead]
    next_cursor: int | None
