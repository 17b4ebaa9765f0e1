"""Routes of scans."""

from fastapi import Response

from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.job import service as job_service
from patina.job.models import Job
from patina.scan import service
from patina.scan.kind import SCAN
from patina.scan.schemas import ScanCreate, ScanRead

router = Router(prefix="/scans", tags=["scan"])


@router.post("", operation_id="start_scan", status_code=202, response_model=ScanRead)
def start_scan(session: RequestSession, response: Response, body: ScanCreate) -> Job:
    """Queues a scan of a host's directory tree into histograms. No name, path or owner in it leaves the host."""
    scan = service.start_scan(session=session, create=body)
    response.headers["Location"] = f"/api/v1/scans/{scan.id}"
    return scan


@router.get("/{scan_id}", operation_id="get_scan", response_model=ScanRead)
def get_scan(session: RequestSession, scan_id: int) -> Job:
    """Returns a scan, with its progress and result."""
    return job_service.get_job(session=session, job_id=scan_id, model=SCAN.model)
