"""Ask a host to walk a tree; follow it; call it off."""

import posixpath
from pathlib import PurePosixPath

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from patina.errors import NotFound, PatinaError
from patina.host import service as host_service
from patina.host.models import Host
from patina.queue import enqueue
from patina.scan.models import Scan
from patina.scan.schemas import ScanCreate, ScanRead
from patina.scan.state import ScanState, try_move


class ScanUnknown(NotFound):
    code = "scan_unknown"
    title = "Scan unknown"


class ScanNotAllowed(PatinaError):
    code = "scan_not_allowed"
    status = 403
    title = "Not a folder that may be scanned"


class ScanUnderWay(PatinaError):
    code = "scan_under_way"
    status = 409
    title = "A scan is under way"


class ScanEnded(PatinaError):
    code = "scan_ended"
    status = 409
    title = "This scan has ended"


def require_allowed(*, directory: str, folders: list[str], host_name: str) -> str:
    """`directory` without `..`, or ScanNotAllowed. The worker asks again, of what its links lead to."""
    path = PurePosixPath(posixpath.normpath(directory))
    if any(path.is_relative_to(folder) for folder in folders):
        return str(path)
    allowed = ", ".join(folders) or "none; set PATINA_SCAN_FOLDERS on the host"
    raise ScanNotAllowed(f"{directory} is in no folder that host {host_name} lets be scanned. Folders: {allowed}.")


def start_scan(*, session: Session, create: ScanCreate) -> ScanRead:
    """Queue a scan. HostUnknown, ScanNotAllowed, ScanUnderWay."""
    host: Host = host_service.get_host(session=session, name=create.host_name)
    directory = require_allowed(directory=create.directory, folders=host.scan_folders, host_name=host.name)
    scan = Scan(host=host, directory=directory, state=ScanState.QUEUED)
    try:
        with session.begin_nested():
            session.add(scan)
    except IntegrityError as error:
        if "uq_scan_active_host" not in str(error.orig):
            raise
        raise ScanUnderWay(f"Host {host.name} is scanning already. Wait until it is done, or cancel it.") from error
    enqueue(session, "scan", scan.id, host_name=host.name)
    return read(scan)


def get_scan(*, session: Session, scan_id: int) -> Scan:
    """The scan, or ScanUnknown."""
    scan = session.get(Scan, scan_id)
    if scan is None:
        raise ScanUnknown(f"There is no scan {scan_id}.")
    return scan


def cancel_scan(*, session: Session, scan_id: int) -> ScanRead:
    """Call it off: one that waits at once, one that runs within a second. ScanUnknown, ScanEnded."""
    scan = get_scan(session=session, scan_id=scan_id)
    waiting = frozenset({ScanState.QUEUED})
    running = frozenset({ScanState.RUNNING, ScanState.CANCELING})
    if not try_move(
        session=session, scan_id=scan_id, from_states=waiting, to_state=ScanState.CANCELED
    ) and not try_move(session=session, scan_id=scan_id, from_states=running, to_state=ScanState.CANCELING):
        session.refresh(scan)
        raise ScanEnded(f"Scan {scan_id} has ended: it is {scan.state}.")
    session.refresh(scan)
    return read(scan)


def read(scan: Scan) -> ScanRead:
    """As the API says it."""
    return ScanRead.model_validate(
        {
            "id": scan.id,
            "host_name": scan.host.name,
            "directory": scan.directory,
            "state": scan.state,
            "progress": scan.progress,
            "result": scan.result,
            "error_code": scan.error_code,
            "error_message": scan.error_message,
            "created_at": scan.created_at,
            "finished_at": scan.finished_at,
        }
    )
