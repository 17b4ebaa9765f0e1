"""Routes of hosts."""

from fastapi import APIRouter

from patina.db import RequestSession
from patina.host import service
from patina.host.schemas import HostList

router = APIRouter(prefix="/hosts", tags=["host"])


@router.get("", operation_id="list_hosts")
def list_hosts(session: RequestSession) -> HostList:
    """Every host that ever reported."""
    return HostList.model_validate({"items": service.list_hosts(session=session)}, from_attributes=True)
