"""The route of extensions."""

from typing import Annotated

from fastapi import APIRouter, Header, Response

from patina.extension import service
from patina.extension.schemas import ExtensionCreate
from patina.request import RequestSession
from patina.run import service as run_service
from patina.run.schemas import RunRead

router = APIRouter(prefix="/runs", tags=["run"])


@router.post("/{run_id}/extend", operation_id="extend_run", status_code=202)
def extend_run(
    session: RequestSession,
    response: Response,
    run_id: int,
    body: ExtensionCreate,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> RunRead:
    """Age a finished run further, as a new run, as long as its device holds what it made."""
    run = service.extend_run(session=session, run_id=run_id, create=body, idempotency_key=idempotency_key)
    response.headers["Location"] = f"/api/v1/runs/{run.id}"
    return run_service.read(session=session, run=run)
