"""How fast a device ages: what earlier runs measured on it, or on its kind, or a careful guess; which one is said."""

from statistics import median
from typing import Literal

from pydantic import BaseModel, Field
from sqlalchemy import Float, Select, select
from sqlalchemy.orm import Session

from patina.device import service as device_service
from patina.device.models import Device
from patina.run.models import Run
from patina.run.state import RunState

RECENT_COUNT = 10
# Below what we have measured on any device of the sort: a run that ends early disappoints nobody.
ROTATIONAL_OPS_PER_S = 300.0
OTHER_OPS_PER_S = 3_000.0

Basis = Literal["device", "kind", "default"]


class PaceRead(BaseModel):
    """Operations of aging a second. A forecast's time is its `horizon_ops_count` over `ops_per_s`."""

    ops_per_s: float
    basis: Basis = Field(description="Runs on this device, runs on devices of its kind, or neither")
    runs_count: int = Field(description="The median of how many runs; 0 by default")


def guess(*, is_rotational: bool) -> PaceRead:
    """Of a device of which nothing else is known."""
    careful = ROTATIONAL_OPS_PER_S if is_rotational else OTHER_OPS_PER_S
    return PaceRead(ops_per_s=careful, basis="default", runs_count=0)


def _measured() -> Select[float]:
    rate = Run.summary["ops_per_s"].astext.cast(Float)
    return (
        select(rate)
        .join(Device, Device.id == Run.device_id)
        .where(Run.state == RunState.SUCCEEDED, Run.summary.is_not(None), rate > 0)
        .order_by(Run.id.desc())
        .limit(RECENT_COUNT)
    )


def pace_of_device(*, session: Session, device_id: int) -> PaceRead:
    """The median of the most recent runs. Error: DeviceUnknown."""
    device = device_service.get_device(session=session, device_id=device_id)
    own = _measured().where(Device.id == device.id)
    alike = _measured().where(
        Device.kind == device.kind,
        Device.medium.is_not_distinct_from(device.medium),
        Device.is_rotational == device.is_rotational,
    )
    attempts: tuple[tuple[Basis, Select[float]], ...] = (("device", own), ("kind", alike))
    for basis, statement in attempts:
        rates = session.scalars(statement).all()
        if rates:
            return PaceRead(ops_per_s=median(rates), basis=basis, runs_count=len(rates))
    return guess(is_rotational=device.is_rotational)
