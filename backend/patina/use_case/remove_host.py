"""Removes a permanently lost host from the lists, and ends its jobs and its access.

Only when no worker can be at work there: a worker checks its lease before each write and ends its work by its
own clock, so the holder of an expired lease has stopped, even without a network.
"""

from collections.abc import Iterator

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from patina.device import lease
from patina.device.models import Device, Lease
from patina.errors import NotFound, PatinaError
from patina.host import access
from patina.host.models import Host
from patina.job import service as job_service

NoSuchHost = NotFound.of("no_such_host", "No such host")
HostAlive = PatinaError.of("host_alive", "This host is healthy", status=409)
HostInUse = PatinaError.of("host_in_use", "This host may still be at work", status=409)


def remove_host(*, session: Session, host_id: int) -> Host:
    """Removes the host. Idempotent. Raises NoSuchHost, HostAlive, HostInUse or BrokerUnavailable."""
    host = session.get(Host, host_id, with_for_update=True)
    if host is None:
        raise NoSuchHost(f"There is no host {host_id}. Look at the list of hosts.")
    if host.removed_at is not None:
        return host
    if host.is_healthy:
        raise HostAlive(f"Host {host.name} sent a heartbeat just now. Stop its worker, then remove it.")
    _require_no_work(session, host)
    said = f"Host {host.name} was removed"
    _end_work(session, host, said)
    access.end(session=session, host_name=host.name)
    host.removed_at = func.now()
    session.flush()
    session.refresh(host)
    return host


def _leases(session: Session, host: Host) -> Iterator[Lease]:
    yield from session.scalars(
        select(Lease)
        .join(Device, Lease.device_id == Device.id)
        .where(Device.host_id == host.id, Lease.released_at.is_(None))
        .order_by(Lease.id)
        .with_for_update(of=Lease)
    )


def _require_no_work(session: Session, host: Host) -> None:
    living = session.execute(
        select(Lease.holder, Lease.expires_at)
        .join(Device, Lease.device_id == Device.id)
        .where(Device.host_id == host.id, Lease.released_at.is_(None), Lease.expires_at > func.now())
        .order_by(Lease.expires_at.desc())
    ).first()
    if living is not None:
        raise HostInUse(
            f"Host {host.name} is silent, but {living.holder} may still go on there: its lease ends at "
            f"{living.expires_at:%H:%M:%S %Z}. Try again then."
        )


def _end_work(session: Session, host: Host, said: str) -> None:
    held_there = list(_leases(session, host))
    job_service.end_all_of(session=session, host_id=host.id, message=said)
    for held in held_there:
        held.fence += 1  # the earlier holder's writes are refused
        session.flush()
        lease.release(session=session, lease_id=held.id)
