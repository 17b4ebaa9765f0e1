"""Routes of scans."""

from fastapi import APIRouter, Response

from patina.request import RequestSession
from patina.scan import service
from patina.scan.schemas import ScanCreate, ScanRead

router = APIRouter(prefix="/scans", tags=["scan"])


@router.post("", operation_id="start_scan", status_code=202)
def start_scan(session: RequestSession, response: Response, body: ScanCreate) -> ScanRead:
    """Walk a directory tree of a host into histograms. No name, path or owner in it leaves the host."""
    scan = service.start_scan(session=session, create=body)
    response.headers["Location"] = f"/api/v1/scans/{scan.id}"
    return scan


@router.get("/{scan_id}", operation_id="get_scan")
def get_scan(session: RequestSession, scan_id: int) -> ScanRead:
    """How far it is, and what came of it."""
    return service.read(service.get_scan(session=session, scan_id=scan_id))


@router.post("/{scan_id}/cancel", operation_id="cancel_scan", status_code=202)
def cancel_scan(session: RequestSession, scan_id: int) -> ScanRead:
    """Call it off."""
    return service.cancel_scan(session=session, scan_id=scan_id)
