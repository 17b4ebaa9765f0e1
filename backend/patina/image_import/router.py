"""Routes of intakes: begin one, upload its file in pieces, finish it."""

from typing import Annotated

from fastapi import Header, Query, Request, Response

from patina.account.visibility import seen
from patina.http.body_limit import lift_all
from patina.http.page import Cursor, Limit
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.image_import import service
from patina.image_import.models import Intake
from patina.image_import.schemas import IntakeCreate, IntakeFinish, IntakePage, IntakeRead
from patina.image_import.upload import receive
from patina.job import service as job_service
from patina.job.state import ENDED

router = Router(prefix="/intakes", tags=["intake"])

_BODY = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}, "required": True}


@router.post("", operation_id="begin_intake", status_code=201, response_model=IntakeRead)
def begin_intake(
    session: RequestSession,
    response: Response,
    body: IntakeCreate,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> Intake:
    """Begins an import. Idempotent with an Idempotency-Key; resume the upload at `received_bytes`."""
    intake = service.begin_intake(session=session, create=body, idempotency_key=idempotency_key)
    response.headers["Location"] = f"/api/v1/intakes/{intake.id}"
    return intake


@router.get("", operation_id="list_intakes")
def list_intakes(
    session: RequestSession,
    cursor: Cursor = None,
    limit: Limit = 50,
    is_open: Annotated[bool, Query(description="Only those that have not ended")] = False,
) -> IntakePage:
    """Returns intakes, newest first."""
    still_open = [Intake.state.not_in(ENDED)] if is_open else []
    return IntakePage.read(Intake, seen(Intake), *still_open, session=session, cursor=cursor, limit=limit)


@router.get("/{intake_id}", operation_id="get_intake", response_model=IntakeRead)
def get_intake(session: RequestSession, intake_id: int) -> Intake:
    """Returns one intake; `received_bytes` is the offset of the next byte to send."""
    return job_service.get_job(session=session, job_id=intake_id, model=Intake)


@router.patch("/{intake_id}/file", operation_id="send_intake_bytes", openapi_extra={"requestBody": _BODY})
async def send_intake_bytes(
    request: Request,
    intake_id: int,
    upload_offset: Annotated[int, Header(ge=0, description="Offset of the first byte sent")],
    content_length: Annotated[int | None, Header(ge=0)] = None,
) -> IntakeRead:
    """Receives the next bytes, any number of them. Bytes received before an interruption are kept; a wrong offset is
    refused, with the right one in Upload-Offset."""
    lift_all(request)
    return await receive(
        intake_id=intake_id, offset=upload_offset, length=content_length, pieces=aiter(request.stream())
    )


@router.post("/{intake_id}/finish", operation_id="finish_intake", status_code=202, response_model=IntakeRead)
def finish_intake(session: RequestSession, intake_id: int, body: IntakeFinish) -> Intake:
    """Queues the import of the complete file; again after an interruption, which keeps the file."""
    return service.finish_upload(session=session, intake_id=intake_id, sha256=body.sha256)
