"""Leases: the only way to hold a device.

A lease is acquired in the transaction that queues the work (the partial unique index refuses a second),
claimed by the worker that does it (which raises the fence), renewed while it lives, guarded in every
transaction of the holder, and released in the one that ends the work. A transaction that changes a lease and its
holder's row locks the lease first.
"""

from datetime import timedelta

from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from patina.device.models import Device, Lease
from patina.errors import PatinaError

DeviceBusy = PatinaError.of("device_busy", "This device is in use", status=409)
LeaseLost = PatinaError.of("lease_lost", "Lease lost", status=409)

# What ends the holders that do not end by themselves, by the first word of the holder.
_ADVICE = {"trace": "Roll the device back, which ends the trace; or stop the trace and keep what was written."}


def acquire(*, session: Session, device: Device, holder: str) -> Lease:
    """Returns a new lease on `device`. Raises DeviceBusy with the holder. A unique index prevents races."""
    lease = Lease(device_id=device.id, holder=holder)
    try:
        with session.begin_nested():
            session.add(lease)
    except IntegrityError as error:
        if "uq_lease_active_device" not in str(error.orig):
            raise
        held = session.scalar(select(Lease).where(Lease.device_id == device.id, Lease.released_at.is_(None)))
        by = f"{held.seen_holder} since {held.acquired_at:%Y-%m-%d %H:%M:%S %Z}" if held else "another job"
        kind = held.holder.partition(" ")[0] if held else ""
        advice = _ADVICE.get(kind, "Wait until it ends, or cancel it.")
        raise DeviceBusy(f"Device {device.path or device.stable_id} is held by {by}. {advice}") from error
    return lease


def lock(*, session: Session, lease_id: int | None) -> None:
    """Locks the lease until this transaction ends. Call it before changing the holder's row: workers lock in this
    order, and the reverse order would deadlock.
    """
    session.execute(select(Lease.id).where(Lease.id == lease_id).with_for_update())


def claim(*, session: Session, lease_id: int, ttl: timedelta) -> int | None:
    """Claims the lease for this process. Returns its new fence, or None when it is released or claimed."""
    statement = (
        update(Lease)
        .where(Lease.id == lease_id, Lease.released_at.is_(None))
        .where(Lease.expires_at.is_(None) | (Lease.expires_at < func.now()))
        .values(fence=Lease.fence + 1, expires_at=func.now() + ttl)
        .returning(Lease.fence)
    )
    return session.scalar(statement)


def seize(*, session: Session, lease_id: int, ttl: timedelta) -> int | None:
    """Claims the lease of a holder proven dead (its lock on the device is free), expired or not. Returns the fence."""
    statement = (
        update(Lease)
        .where(Lease.id == lease_id, Lease.released_at.is_(None))
        .values(fence=Lease.fence + 1, expires_at=func.now() + ttl)
        .returning(Lease.fence)
    )
    return session.scalar(statement)


def renew(*, session: Session, lease_id: int, fence: int, ttl: timedelta) -> None:
    """Renews the lease for another `ttl`. Raises LeaseLost."""
    statement = (
        update(Lease)
        .where(Lease.id == lease_id, Lease.fence == fence, Lease.released_at.is_(None))
        .values(expires_at=func.now() + ttl)
        .returning(Lease.id)
    )
    if session.scalar(statement) is None:
        raise LeaseLost(f"Lease {lease_id} is no longer held with fence {fence}: it was released or claimed again.")


def guard(*, session: Session, lease_id: int, fence: int) -> None:
    """Raises LeaseLost unless this fence holds the lease; it then holds it until the transaction ends."""
    statement = (
        select(Lease.id)
        .where(Lease.id == lease_id, Lease.fence == fence, Lease.released_at.is_(None))
        .with_for_update(read=True)
    )
    if session.scalar(statement) is None:
        raise LeaseLost(f"Lease {lease_id} is no longer held with fence {fence}: it was released or claimed again.")


def release(*, session: Session, lease_id: int) -> None:
    """Releases the device."""
    session.execute(
        update(Lease).where(Lease.id == lease_id, Lease.released_at.is_(None)).values(released_at=func.now())
    )
    session.expire_all()
