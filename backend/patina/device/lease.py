"""Leases: the one way to hold a device.

A lease is acquired in the transaction that queues the work (the partial unique index refuses a second),
claimed by the worker that does it (which raises the fence), renewed while it lives, guarded in every
transaction of the holder, and released in the one that ends the work. Who changes a lease and its holder's row in one
transaction begins with the lease.
"""

from datetime import timedelta

from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from patina.device.models import Device, Lease
from patina.errors import PatinaError

DeviceBusy = PatinaError.of("device_busy", "This device is in use", status=409)
LeaseLost = PatinaError.of("lease_lost", "Lease lost", status=409)


def acquire(*, session: Session, device: Device, holder: str) -> Lease:
    """A new lease on `device`, or DeviceBusy naming who holds it. The database decides, not a look before."""
    lease = Lease(device_id=device.id, holder=holder)
    try:
        with session.begin_nested():
            session.add(lease)
    except IntegrityError as error:
        if "uq_lease_active_device" not in str(error.orig):
            raise
        held = session.scalar(select(Lease).where(Lease.device_id == device.id, Lease.released_at.is_(None)))
        by = f"{held.holder} since {held.acquired_at:%Y-%m-%d %H:%M:%S %Z}" if held else "somebody else"
        raise DeviceBusy(
            f"Device {device.path or device.stable_id} is held by {by}. Wait until it ends, or cancel it."
        ) from error
    return lease


def lock(*, session: Session, lease_id: int | None) -> None:
    """Keep others from claiming, guarding or releasing it until this transaction ends. Before the row of its holder is
    changed: workers take the lease first as well, and two that took them the other way about would wait for each other.
    """
    session.execute(select(Lease.id).where(Lease.id == lease_id).with_for_update())


def claim(*, session: Session, lease_id: int, ttl: timedelta) -> int | None:
    """Take the lease for this process: its new fence, or None when it is released or somebody's."""
    statement = (
        update(Lease)
        .where(Lease.id == lease_id, Lease.released_at.is_(None))
        .where(Lease.expires_at.is_(None) | (Lease.expires_at < func.now()))
        .values(fence=Lease.fence + 1, expires_at=func.now() + ttl)
        .returning(Lease.fence)
    )
    return session.scalar(statement)


def seize(*, session: Session, lease_id: int, ttl: timedelta) -> int | None:
    """Take the lease from a holder proven dead (its lock on the device is free), expired or not: the new fence."""
    statement = (
        update(Lease)
        .where(Lease.id == lease_id, Lease.released_at.is_(None))
        .values(fence=Lease.fence + 1, expires_at=func.now() + ttl)
        .returning(Lease.fence)
    )
    return session.scalar(statement)


def renew(*, session: Session, lease_id: int, fence: int, ttl: timedelta) -> None:
    """Hold it for another `ttl`, or LeaseLost."""
    statement = (
        update(Lease)
        .where(Lease.id == lease_id, Lease.fence == fence, Lease.released_at.is_(None))
        .values(expires_at=func.now() + ttl)
        .returning(Lease.id)
    )
    if session.scalar(statement) is None:
        raise LeaseLost(f"Lease {lease_id} is no longer held with fence {fence}. Whoever holds it now goes on.")


def guard(*, session: Session, lease_id: int, fence: int) -> None:
    """Refuse with LeaseLost unless this fence still holds the lease; it then does until the transaction ends."""
    statement = (
        select(Lease.id)
        .where(Lease.id == lease_id, Lease.fence == fence, Lease.released_at.is_(None))
        .with_for_update(read=True)
    )
    if session.scalar(statement) is None:
        raise LeaseLost(f"Lease {lease_id} is no longer held with fence {fence}. Whoever holds it now goes on.")


def release(*, session: Session, lease_id: int) -> None:
    """Give the device back."""
    session.execute(
        update(Lease).where(Lease.id == lease_id, Lease.released_at.is_(None)).values(released_at=func.now())
    )
    session.expire_all()
