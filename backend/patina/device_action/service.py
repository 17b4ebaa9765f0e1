"""Starts actions."""

from sqlalchemy.orm import Session

from patina.account.visibility import begin
from patina.delta import service as delta_service
from patina.delta.models import Holding
from patina.device import lease
from patina.device import service as device_service
from patina.device.shingle import require_file_system
from patina.device_action.kind import ACTIONS
from patina.device_action.models import Action, ActionKind
from patina.device_action.schemas import ActionCreate
from patina.errors import PatinaError
from patina.figures import exactly_bytes
from patina.host import service as host_service
from patina.image import service as image_service
from patina.image.models import Image
from patina.image.place import require_within_reach
from patina.job import service as job_service
from patina.run.service import check_device

ImageNotNamed = PatinaError.of("image_not_named", "No image chosen", status=422)
ImageTooLarge = PatinaError.of("image_too_large", "The image does not fit", status=409)
ContentUnknown = PatinaError.of("content_unknown", "The content of the image is unknown", status=409)
HoldsDelta = PatinaError.of("holds_delta", "The device was written to since", status=409)
NothingToRollBack = PatinaError.of("nothing_to_roll_back", "Nothing to roll back", status=409)
NothingToCapture = PatinaError.of("nothing_to_capture", "Nothing to capture", status=409)


def _image_for(session: Session, create: ActionCreate, holding: Holding | None) -> Image:
    """Returns the image that the user named, or the one that the device holds."""
    if create.kind in (ActionKind.RESTORE, ActionKind.VERIFY):
        if create.image_id is None:
            raise ImageNotNamed(f"Say which image to {create.kind}: image_id is missing.")
        return image_service.get_image(session=session, image_id=create.image_id)
    holding = holding or delta_service.require_held(session=session, device_id=create.device_id)
    if create.kind == ActionKind.TRACE and holding.delta_id is not None:
        raise HoldsDelta(
            f"The device holds image {holding.image.name} and what was written to it since. Before another trace, roll "
            "it back, or keep its content as an image."
        )
    is_as_known = holding.delta_id is None and not _is_doubted(holding)
    known = f"The device holds image {holding.image.name}, and no write to it is known"
    if create.kind == ActionKind.CAPTURE and is_as_known:
        raise NothingToCapture(f"{known}: its capture would be the same image.")
    if create.kind == ActionKind.ROLLBACK and is_as_known:
        raise NothingToRollBack(f"{known}. Verify it to compare every byte.")
    return holding.image


def _is_doubted(holding: Holding | None) -> bool:
    """Returns whether the device may hold untraced content whose loss was not confirmed."""
    return holding is not None and holding.doubt in ("differs", "changed")


def start_action(*, session: Session, create: ActionCreate, idempotency_key: str | None) -> Action:
    """Queues an action: checks, lease, row, message. The same key returns the same action."""
    request = create.model_dump(mode="json", exclude={"confirmation"})
    earlier = job_service.submitted_with(session=session, model=Action, key=idempotency_key, request=request)
    if earlier is not None:
        return earlier
    device = device_service.get_device(session=session, device_id=create.device_id)
    host_service.require_heard(device.host)
    held = lease.acquire(session=session, device=device, holder="an action about to start")
    holding = delta_service.held(session=session, device_id=device.id)
    overwrites = create.kind == ActionKind.RESTORE or (create.kind == ActionKind.ROLLBACK and _is_doubted(holding))
    check_device(device, create.confirmation, overwrites=overwrites, what=create.kind)
    image = _image_for(session, create, holding)
    if image.size_bytes > device.size_bytes:
        raise ImageTooLarge(
            f"Image {image.name} has {exactly_bytes(image.size_bytes)}, device {device.path} "
            f"{exactly_bytes(device.size_bytes)}. Take a device that is as large."
        )
    if create.kind == ActionKind.RESTORE and not (image.is_content_known or create.accepts_unknown_content):
        raise ContentUnknown(
            f"Image {image.name} was imported from bytes without known content: no file system, no partition table. "
            "Restore it with accepts_unknown_content (--accept-unknown-content) if these bytes are what you want."
        )
    if create.kind == ActionKind.RESTORE:
        require_file_system(device, image.file_system)
    if create.kind not in (ActionKind.TRACE, ActionKind.CAPTURE):
        require_within_reach(image, device.host)
    action = ACTIONS[create.kind].make(
        host=device.host,
        request=create,
        device=device,
        lease=held,
        image=image,
        delta_id=holding.delta_id if holding and create.kind == ActionKind.ROLLBACK else None,
        confirmed=device.confirmed,
        idempotency_key=idempotency_key,
    )
    assert isinstance(action, Action)
    begin(session=session, row=action, asked=None, sources=[image])
    return job_service.submit(session=session, job=action, message=f"Queued for {device.path}")
