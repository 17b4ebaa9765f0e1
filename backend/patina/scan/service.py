"""Starts scans."""

import posixpath
from pathlib import PurePosixPath

from sqlalchemy.orm import Session

from patina.errors import PatinaError
from patina.host import service as host_service
from patina.job import service as job_service
from patina.job.models import Job
from patina.scan.kind import SCAN
from patina.scan.schemas import ScanCreate

ScanNotAllowed = PatinaError.of("scan_not_allowed", "This directory may not be read", status=403)


def require_allowed(*, directory: str, folders: list[str], host_name: str, what: str = "scans of") -> str:
    """Returns `directory` without `..`. `what`: the use, for the error. Raises ScanNotAllowed. The worker checks again,
    with links resolved."""
    path = PurePosixPath(posixpath.normpath(directory))
    if any(path.is_relative_to(folder) for folder in folders):
        return str(path)
    raise ScanNotAllowed(
        f"Host {host_name} does not allow {what} {directory}. Allowed folders: {', '.join(folders) or 'none'}. "
        "On the host, in the folder of Patina, `sudo bin/patina-worker scan-folders --add FOLDER` allows one "
        "(with the Debian package: `sudo patina-worker …`). The server knows it within 10 seconds."
    )


def start_scan(*, session: Session, create: ScanCreate) -> Job:
    """Queues a scan. Raises HostUnknown, ScanNotAllowed, JobUnderWay."""
    host = host_service.get_host(session=session, name=create.host_name)
    directory = require_allowed(directory=create.directory, folders=host.scan_folders, host_name=host.name)
    scan = SCAN.make(host=host, request=ScanCreate(host_name=host.name, directory=directory))
    return job_service.submit(session=session, job=scan, message=f"Queued on {host.name}")
