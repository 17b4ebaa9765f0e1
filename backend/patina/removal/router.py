"""Route of removals of hosts."""

from fastapi import APIRouter

from patina.host.models import Host
from patina.host.schemas import HostRead
from patina.removal import service
from patina.request import RequestSession

router = APIRouter(prefix="/hosts", tags=["host"])


@router.delete("/{host_id}", operation_id="remove_host", response_model=HostRead)
def remove_host(session: RequestSession, host_id: int) -> Host:
    """Take a host that is gone for good out of the lists, with its devices. Should it come back, so do they."""
    return service.remove_host(session=session, host_id=host_id)
