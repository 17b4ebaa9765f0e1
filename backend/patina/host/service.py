"""Hosts and their heartbeats."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, undefer

from patina import __version__
from patina.db import database_time
from patina.errors import PatinaError
from patina.host.models import Host, healthy_for
from patina.host.schemas import HostReport
from patina.settings import settings

HostUnknown = PatinaError.of("host_unknown", "No host can do this", status=409)
HostLost = PatinaError.of("host_lost", "This host is silent", status=409)
HostNameTaken = PatinaError.of("host_name_taken", "This name is taken", status=409)
HostAccessEnded = PatinaError.of("host_access_ended", "This host's access has ended", status=403)


def list_hosts(*, session: Session) -> list[Host]:
    """Returns every host by name, except removed ones."""
    hosts = select(Host).options(undefer(Host.has_own_access)).where(Host.removed_at.is_(None)).order_by(Host.name)
    return list(session.scalars(hosts))


def get_host(*, session: Session, name: str | None) -> Host:
    """Returns the host called `name`; by default the only host, or the server's own. Raises HostUnknown."""
    hosts = list_hosts(session=session)
    if name is None and len(hosts) == 1:
        return hosts[0]
    wanted = settings().host_name if name is None else name
    for host in hosts:
        if host.name == wanted:
            return host
    known = ", ".join(host.name for host in hosts) or "none; start a worker"
    asked = f"There is no host called {name!r}." if name else "Say which host."
    raise HostUnknown(f"{asked} Hosts here: {known}.")


def require_heard(host: Host) -> None:
    """Raises HostLost when the host is silent for too long to start work on it."""
    if not host.is_healthy:
        silence = host.silence.removeprefix("host ")
        raise HostLost(f"Host {silence}. Start its worker, or take another host.")


def heartbeat(
    *,
    session: Session,
    name: str,
    report: HostReport,
    worker_key: str | None = None,
) -> Host:
    """Stores a heartbeat and the host's report. Raises HostNameTaken while another worker is healthy under its name."""
    values = report.model_dump() | {
        "heartbeat_at": database_time(),
        "worker_key": worker_key,
        "patina_version": __version__,
        "removed_at": None,
    }
    is_ours = Host.worker_key.is_(None) | (Host.worker_key == worker_key)
    is_silent = database_time() - Host.heartbeat_at >= healthy_for()
    statement = (
        insert(Host)
        .values(name=name, **values)
        .on_conflict_do_update(index_elements=["name"], set_=values, where=is_ours | is_silent)
        .returning(Host.id)
    )
    host_id = session.scalar(statement)
    if host_id is None:
        raise name_taken(name)
    return session.get_one(Host, host_id, populate_existing=True)


def is_reported_with(*, session: Session, name: str, key: str) -> bool:
    """Returns whether the last report under this name had this worker key."""
    return session.scalar(select(Host.worker_key).where(Host.name == name)) == key


@contextmanager
def access_required() -> Iterator[None]:
    """Raises HostAccessEnded where the database refuses this process's password. Its text is recognized in English: an
    error of a connection has no code."""
    try:
        yield
    except OperationalError as error:
        if "password authentication failed" not in str(error.orig):
            raise
        raise HostAccessEnded(
            f"The database refuses the password of host {settings().host_name}: the host was removed, or another "
            "machine has joined under its name. Join again with a new token."
        ) from error


def name_taken(name: str) -> PatinaError:
    """Returns the error for a healthy host's name."""
    return HostNameTaken(
        f"There is a healthy host called {name}. Choose another name; or stop its worker, and take the name once it "
        f"has been silent for {settings().host_silence_s} s."
    )
