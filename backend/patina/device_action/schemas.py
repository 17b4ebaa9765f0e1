"""Schemas of actions and of holdings."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from patina.delta.models import Doubt
from patina.device.schemas import DeviceRead
from patina.device_action.models import ActionKind
from patina.http.page import Page
from patina.job.schemas import JobRead
from patina.job.state import JobState
from patina.run import image_name as image_names
from patina.run.schemas import Confirmation


class ImageName(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str


class DeltaRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    source: str
    incomplete_reason: str | None = Field(description="Why it may lack touched blocks; null: the delta is complete")
    touched_bytes: int
    extents_count: int
    events_count: int
    dropped_count: int
    created_at: datetime


class HeldImage(ImageName):
    is_readable: bool | None = Field(description="Whether reading its files reads the disk; null: not measured")
    is_deleted: bool = Field(description="Whether it is deleted: a rollback needs it within its grace period")


class HoldingRead(BaseModel):
    """The known content of a device: an image, and the delta since."""

    model_config = ConfigDict(from_attributes=True)

    image: HeldImage
    delta: DeltaRead | None
    verified_at: datetime = Field(description="When every byte was last compared, or rewritten and read back")
    doubt: Doubt | None = Field(
        description="Why its content may differ by now. differs: a comparison found other bytes. changed: it was "
        "written to or attached anew without a trace. unknown: its kernel does not count writes. null: no doubt"
    )


class DeviceJob(BaseModel):
    """A job on a device, as the list of devices shows it."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    kind: str = Field(description="run, trial, or that of an action")
    state: JobState
    is_waiting: bool = Field(description="Queued behind the job that holds the device")
    is_changeable: bool = Field(description="Whether who asks may stop it, if the role allows that")
    stop_requested_at: datetime | None
    armed_at: datetime | None = Field(None, description="Of a trace: from here on every write is recorded")
    message: str
    done: float = Field(description="Of its phase")
    total: float | None = Field(description="null: unknown")
    unit: str = Field(description="Unit of done and total: bytes, files; empty: a fraction")
    eta_s: float | None


class DeviceItem(DeviceRead):
    """A device with what it holds and what is done on it."""

    holding: HoldingRead | None = Field(description="Its known content; null: unknown")
    jobs: list[DeviceJob] = Field(description="That have not ended: the one that holds it, then those that wait")
    last_job: DeviceJob | None = Field(description="The newest job, if none is open; null: none")


class DeviceList(BaseModel):
    items: list[DeviceItem]


class ActionRequest(BaseModel):
    """The stored request, without the confirmation."""

    model_config = ConfigDict(extra="forbid")

    kind: ActionKind
    device_id: int
    image_id: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="Required to restore or verify; other kinds use the image that the device holds"
    )
    accepts_unknown_content: bool = Field(
        default=False, description="Restore an image whose content is unknown: its import found nothing known in it"
    )
    image_name: image_names.ImageName | None = Field(
        default=None,
        description="Of the image that is captured; null: by its parent. A number is added if another image has it",
    )

    @model_validator(mode="after")
    def _check_name(self) -> "ActionRequest":
        if self.image_name is not None and self.kind != ActionKind.CAPTURE:
            raise ValueError(f"image_name is of a capture alone, and this is a {self.kind}. Leave it out.")
        return self


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
