"""Hosts and their heartbeats."""

from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from patina.errors import PatinaError
from patina.host.models import Host


class HostUnknown(PatinaError):
    code = "host_unknown"
    status = 409
    title = "Host unknown"


def list_hosts(*, session: Session) -> list[Host]:
    """Every host by name."""
    return list(session.scalars(select(Host).order_by(Host.name)))


def get_host(*, session: Session, name: str | None) -> Host:
    """The host called `name`; without a name the only one there is. Otherwise HostUnknown."""
    hosts = list_hosts(session=session)
    if name is None and len(hosts) == 1:
        return hosts[0]
    for host in hosts:
        if host.name == name:
            return host
    known = ", ".join(host.name for host in hosts) or "none; start a worker"
    asked = f"There is no host called {name!r}." if name else "Say which host."
    raise HostUnknown(f"{asked} Hosts here: {known}.")


def heartbeat(
    *,
    session: Session,
    name: str,
    kernel: str,
    cores_count: int,
    memory_bytes: int,
    memory_free_bytes: int,
    tools: dict[str, str],
    device_allow: list[str],
    scan_folders: list[str],
) -> Host:
    """Record that the host lives, and what it is."""
    values = {
        "kernel": kernel,
        "cores_count": cores_count,
        "memory_bytes": memory_bytes,
        "memory_free_bytes": memory_free_bytes,
        "tools": tools,
        "device_allow": device_allow,
        "scan_folders": scan_folders,
        "heartbeat_at": datetime.now(UTC),
    }
    statement = insert(Host).values(name=name, **values).on_conflict_do_update(index_elements=["name"], set_=values)
    return session.scalars(statement.returning(Host), execution_options={"populate_existing": True}).one()
