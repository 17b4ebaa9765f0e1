"""What the API says and takes of actions, and of what devices hold."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from patina.delta.models import Doubt
from patina.device.schemas import DeviceRead
from patina.device_action.models import ActionKind
from patina.http.page import Page
from patina.job.schemas import JobRead
from patina.run.schemas import Confirmation


class ImageName(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str


class DeltaRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    source: str
    incomplete_reason: str | None = Field(description="Why more may have been touched; null when nothing was missed")
    touched_bytes: int
    extents_count: int
    events_count: int
    dropped_count: int
    created_at: datetime


class HeldImage(ImageName):
    is_readable: bool | None = Field(description="Whether reading its files reads the disk; null: not measured")


class HoldingRead(BaseModel):
    """What a device holds, as far as Patina knows: an image, and what was touched since."""

    model_config = ConfigDict(from_attributes=True)

    image: HeldImage
    delta: DeltaRead | None
    verified_at: datetime = Field(description="When every byte was last compared, or rewritten and read back")
    doubt: Doubt | None = Field(
        description="Why it may hold something else by now. differs: a comparison found other bytes. changed: it was "
        "written to or attached anew, and no trace saw it. unknown: its kernel does not count writes. Null: none"
    )


class ActionRequest(BaseModel):
    """What is stored of what was asked for: all but the confirmation."""

    model_config = ConfigDict(extra="forbid")

    kind: ActionKind
    device_id: int
    image_id: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Of a restore or a verification; the others go by what the device holds"
    )


class ActionCreate(ActionRequest):
    confirmation: Confirmation


class ActionRead(JobRead):
    kind: ActionKind
    device: DeviceRead
    image: ImageName
    delta: DeltaRead | None
    armed_at: datetime | None
    result: dict[str, object] | None


class ActionPage(Page[ActionRead]):
    """Actions, newest first. `next_cursor` is null on the last page."""
