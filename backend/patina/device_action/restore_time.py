"""Expected duration of a restore, by earlier ones: of the image on the device, else on the device, else on its host.

Never a guess: without a measured restore it is unknown.
"""

from statistics import median
from typing import Literal

from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, Float, cast, extract, select
from sqlalchemy.orm import Session

from patina.device import service as device_service
from patina.device_action.models import Restore
from patina.image import service as image_service
from patina.image.models import Image
from patina.job.state import JobState

RECENT_COUNT = 10

Basis = Literal["image", "device", "host"]


class RestoreTimeRead(BaseModel):
    """Expected duration of a restore, from its start to its end."""

    expected_s: float | None = Field(description="By the size of the image; null: no restore was measured")
    basis: Basis | None = Field(description="Restores of this image on the device, of any image on it, or on its host")
    restores_count: int = Field(description="Number of restores in the median")


def expected_time(*, session: Session, device_id: int, image_id: int) -> RestoreTimeRead:
    """Returns the median of the most recent restores, scaled by size. Raises DeviceUnknown, ImageUnknown."""
    device = device_service.get_device(session=session, device_id=device_id)
    image = image_service.get_image(session=session, image_id=image_id)
    seconds = cast(extract("epoch", Restore.finished_at - Restore.started_at), Float)
    statement = (
        select(seconds / Image.size_bytes)
        .select_from(Restore)
        .join(Image, Image.id == Restore.image_id)
        .where(Restore.state == JobState.SUCCEEDED, Restore.started_at.is_not(None), seconds > 0)
        .order_by(Restore.id.desc())
        .limit(RECENT_COUNT)
    )
    attempts: tuple[tuple[Basis, list[ColumnElement[bool]]], ...] = (
        ("image", [Restore.device_id == device.id, Restore.image_id == image.id]),
        ("device", [Restore.device_id == device.id]),
        ("host", [Restore.host_id == device.host_id]),
    )
    for basis, conditions in attempts:
        rates = [float(rate) for rate in session.scalars(statement.where(*conditions))]
        if rates:
            expected_s = median(rates) * image.size_bytes
            return RestoreTimeRead(expected_s=expected_s, basis=basis, restores_count=len(rates))
    return RestoreTimeRead(expected_s=None, basis=None, restores_count=0)
