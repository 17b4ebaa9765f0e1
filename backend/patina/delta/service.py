"""Content of devices, stored by each job that changes it, in the transaction that ends its work."""

from datetime import UTC, datetime

from sqlalchemy import delete, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from patina.core.contract.delta import DeltaSummary
from patina.delta.models import Delta, Holding
from patina.device.models import Device
from patina.errors import PatinaError

HoldsNoImage = PatinaError.of("holds_no_image", "Device content unknown", status=409)


def held(*, session: Session, device_id: int) -> Holding | None:
    """Returns the device's known content."""
    return session.get(Holding, device_id, populate_existing=True)


def require_held(*, session: Session, device_id: int) -> Holding:
    """Returns the device's known content. Raises HoldsNoImage."""
    holding = held(session=session, device_id=device_id)
    if holding is None:
        device = session.get_one(Device, device_id)
        name = device.path or device.stable_id
        raise HoldsNoImage(
            f"{name} holds no image that Patina knows of. Restore an image to it first, or verify that it holds one."
        )
    return holding


def hold(*, session: Session, device_id: int, image_id: int, generation: str) -> None:
    """Stores that every byte of the device equals the image's."""
    values = {
        "image_id": image_id,
        "delta_id": None,
        "generation": generation,
        "verified_at": datetime.now(UTC),
        "differs": False,
    }
    statement = insert(Holding).values(device_id=device_id, **values)
    session.execute(statement.on_conflict_do_update(index_elements=["device_id"], set_=values))
    _is_now(session, device_id, generation)


def expect(*, session: Session, holding: Holding, file_name: str) -> Delta:
    """Stores, before a trace is armed, an incomplete delta: until the trace succeeds, any block may be touched."""
    delta = Delta(
        device_id=holding.device_id,
        image_id=holding.image_id,
        file_name=file_name,
        source="none",
        incomplete_reason="tracer_died",
        touched_bytes=0,
        extents_count=0,
        events_count=0,
        dropped_count=0,
    )
    session.add(delta)
    session.flush()
    holding.delta_id = delta.id
    return delta


def unexpect(*, session: Session, delta: Delta) -> None:
    """Removes the delta of a trace that could not be armed: the device holds its image as before."""
    session.execute(update(Holding).where(Holding.delta_id == delta.id).values(delta_id=None))
    session.delete(delta)
    session.flush()


def complete(*, session: Session, delta: Delta, summary: DeltaSummary) -> None:
    """Stores a trace's result: the device equals the image except for these blocks."""
    holding = held(session=session, device_id=delta.device_id)
    if holding is not None and holding.delta_id == delta.id:
        holding.generation = summary.generation_end or ""
        _is_now(session, delta.device_id, holding.generation)
    delta.source = summary.source
    delta.incomplete_reason = summary.incomplete_reason
    delta.touched_bytes = summary.touched_bytes
    delta.extents_count = summary.extents_count
    delta.events_count = summary.events_count
    delta.dropped_count = summary.dropped_count


def _is_now(session: Session, device_id: int, generation: str) -> None:
    """Stores the device's generation. An inventory that began earlier does not count."""
    session.execute(
        update(Device).where(Device.id == device_id).values(generation=generation, seen_at=datetime.now(UTC))
    )


def forget(*, session: Session, device_id: int) -> None:
    """Removes the holding, before the device is written to."""
    session.execute(delete(Holding).where(Holding.device_id == device_id))
