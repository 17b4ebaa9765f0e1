"""Routes of devices."""

from fastapi import Response
from sqlalchemy.orm import Session

from patina.core.contract.emulate import Fault
from patina.delta import service as delta_service
from patina.delta.models import Holding
from patina.device import service
from patina.device.disk_model import DiskModelList, disk_models
from patina.device.fault import inject_fault as ask_fault
from patina.device.models import Device
from patina.device.schemas import DeviceNaming, DeviceRead, DeviceUse, SandboxCreate
from patina.device.users import set_users
from patina.device_action import listing
from patina.device_action.schemas import DeviceList, HoldingRead
from patina.http.read_only import read_only
from patina.http.request import RequestSession
from patina.http.routing import Router

router = Router(prefix="/devices", tags=["device"])
disk_model_router = Router(prefix="/disk-models", tags=["device"])


@disk_model_router.get("", operation_id="list_disk_models")
def list_disk_models() -> DiskModelList:
    """Returns the built-in disk models, by name."""
    return DiskModelList(items=list(disk_models().values()))


@router.get("", operation_id="list_devices")
@read_only
def list_devices(session: Session) -> DeviceList:
    """Returns the devices of all hosts with what each holds and what is done on it: sandbox devices first, then
    attached ones by path."""
    return listing.list_devices(session=session)


@router.get("/{device_id}", operation_id="get_device")
@read_only
def get_device(session: Session, device_id: int) -> DeviceRead:
    """Returns one device."""
    return DeviceRead.model_validate(service.get_device(session=session, device_id=device_id))


@router.post("", operation_id="make_sandbox", status_code=202, response_model=DeviceRead)
def make_sandbox(session: RequestSession, response: Response, body: SandboxCreate) -> Device:
    """Requests a sandbox device. It is `creating` until the worker has made it."""
    device = service.make_sandbox(session=session, create=body)
    response.headers["Location"] = f"/api/v1/devices/{device.id}"
    return device


@router.delete("/{device_id}", operation_id="remove_sandbox", status_code=202, response_model=DeviceRead)
def remove_sandbox(session: RequestSession, device_id: int) -> Device:
    """Removes a sandbox device and its backing file. Refused while it is leased, and for attached devices."""
    return service.remove_sandbox(session=session, device_id=device_id)


@router.put("/{device_id}/name", operation_id="name_device", response_model=DeviceRead)
def name_device(session: RequestSession, device_id: int, body: DeviceNaming) -> Device:
    """Gives the device a name, or takes it away. The path and the stable id stay what identifies it."""
    return service.name_device(session=session, device_id=device_id, name=body.name)


@router.put("/{device_id}/users", operation_id="set_device_users", response_model=DeviceRead)
def set_device_users(session: RequestSession, device_id: int, body: DeviceUse) -> Device:
    """Changes who may use the device: every member, the members of a team, or operators alone. Jobs under way go on;
    the worker refuses those that have not begun, if their account may no longer use it."""
    device = service.get_device(session=session, device_id=device_id)
    set_users(session=session, device=device, use=body)
    return device


@router.post("/{device_id}/faults", operation_id="inject_fault", status_code=202, response_model=DeviceRead)
def inject_fault(session: RequestSession, device_id: int, body: Fault) -> Device:
    """Makes an emulated disk fail, or ends its faults. The device shows the result, or the error."""
    return ask_fault(session=session, device_id=device_id, fault=body)


@router.get("/{device_id}/holding", operation_id="get_holding", response_model=HoldingRead | None)
def get_holding(session: RequestSession, device_id: int) -> Holding | None:
    """Returns the device's known content; null if it is unknown."""
    device = service.get_device(session=session, device_id=device_id)
    return delta_service.held(session=session, device_id=device.id)
