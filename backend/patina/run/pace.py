"""Pace of a device: measured by earlier runs on it, or on its kind, or a careful guess; the basis says which."""

from statistics import median
from typing import Literal

from pydantic import BaseModel, Field
from sqlalchemy import Float, Select, select
from sqlalchemy.orm import Session

from patina.core.contract.way import AgingMode
from patina.device import service as device_service
from patina.device.models import Device
from patina.job.state import JobState
from patina.run.models import Run

RECENT_COUNT = 10
# Below our measurements on any device of the kind: a run may end early, not late.
ROTATIONAL_OPS_PER_S = 300.0
REFERENCE_OPS_PER_S = 500.0  # a commit every ten operations
OTHER_OPS_PER_S = 3_000.0

Basis = Literal["device", "kind", "default"]


class PaceRead(BaseModel):
    """Operations of aging a second. A forecast's time is its `horizon_ops_count` over `ops_per_s`."""

    ops_per_s: float
    basis: Basis = Field(description="Runs on this device, runs on devices of its kind, or a guess")
    runs_count: int = Field(description="Number of runs in the median; 0 for a guess")


def guess(*, is_rotational: bool, mode: AgingMode | None = None) -> PaceRead:
    """Returns the guess for a device without earlier runs."""
    careful = ROTATIONAL_OPS_PER_S if is_rotational else OTHER_OPS_PER_S
    if mode == "reference":
        careful = min(careful, REFERENCE_OPS_PER_S)
    return PaceRead(ops_per_s=careful, basis="default", runs_count=0)


def _measured(mode: AgingMode | None, file_system: str | None) -> Select[float]:
    """Selects measured paces, of any mode and file system if none is given: these differ by an order of magnitude."""
    rate = Run.summary["ops_per_s"].astext.cast(Float)
    statement = (
        select(rate)
        .join(Device, Device.id == Run.device_id)
        .where(Run.state == JobState.SUCCEEDED, Run.summary.is_not(None), rate > 0)
        .order_by(Run.id.desc())
        .limit(RECENT_COUNT)
    )
    if mode is not None:
        statement = statement.where(Run.settings["mode"].as_string() == mode)
    return statement if file_system is None else statement.where(Run.settings["file_system"].as_string() == file_system)


def pace_of_device(
    *, session: Session, device_id: int, mode: AgingMode | None = None, file_system: str | None = None
) -> PaceRead:
    """Returns the median of the most recent runs. Raises DeviceUnknown."""
    device = device_service.get_device(session=session, device_id=device_id)
    own = _measured(mode, file_system).where(Device.id == device.id)
    alike = _measured(mode, file_system).where(
        Device.kind == device.kind,
        Device.medium.is_not_distinct_from(device.medium),
        Device.is_rotational == device.is_rotational,
    )
    attempts: tuple[tuple[Basis, Select[float]], ...] = (("device", own), ("kind", alike))
    for basis, statement in attempts:
        rates = session.scalars(statement).all()
        if rates:
            return PaceRead(ops_per_s=median(rates), basis=basis, runs_count=len(rates))
    return guess(is_rotational=device.is_rotational, mode=mode)
