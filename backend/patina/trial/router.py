"""Routes of trials and of their workloads."""

from typing import Annotated

from fastapi import Header, Query, Response
from sqlalchemy.orm import Session

from patina.core.contract.measured import Personality
from patina.http.page import Cursor, Limit
from patina.http.read_only import read_only
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.trial import describe, export, service
from patina.trial.schemas import (
    MeasurementList,
    SpecificationWrite,
    TrialCreate,
    TrialPage,
    TrialRead,
    WorkloadList,
)

router = Router(prefix="/trials", tags=["trial"])
workload_router = Router(prefix="/workloads", tags=["trial"])


@router.post("", operation_id="start_trial", status_code=202)
def start_trial(
    session: RequestSession,
    response: Response,
    body: TrialCreate,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> TrialRead:
    """Queues a trial: workloads on images, with a restore or rollback before each repetition. Idempotent with an
    Idempotency-Key."""
    trial = service.start_trial(session=session, create=body, idempotency_key=idempotency_key)
    response.headers["Location"] = f"/api/v1/trials/{trial.id}"
    return service.read(session=session, trial=trial)


@router.get("", operation_id="list_trials")
@read_only
def list_trials(session: Session, cursor: Cursor = None, limit: Limit = 50) -> TrialPage:
    """Returns trials, newest first."""
    return service.list_trials(session=session, cursor=cursor, limit=limit)


@router.get("/{trial_id}", operation_id="get_trial")
def get_trial(session: RequestSession, trial_id: int) -> TrialRead:
    """Returns a trial, with its results so far."""
    return service.read(session=session, trial=service.get_trial(session=session, trial_id=trial_id))


@router.get("/{trial_id}/measurements", operation_id="list_measurements")
def list_measurements(session: RequestSession, trial_id: int) -> MeasurementList:
    """Returns all repetitions of a trial with what was measured, whole."""
    return MeasurementList(items=service.measured(session=session, trial_id=trial_id))


@router.get(
    "/{trial_id}/export",
    operation_id="export_trial",
    response_class=Response,
    responses={200: {"content": {media: {} for media in export.MEDIA_TYPES.values()}}},
)
def export_trial(
    session: RequestSession, trial_id: int, format: Annotated[export.TrialExportFormat, Query()]
) -> Response:
    """Returns a trial as a file: CSV with a row for each repetition, JSON with everything, or a table for LaTeX."""
    trial = service.get_trial(session=session, trial_id=trial_id)
    file = export.export_trial(session=session, trial=trial, format=format)
    headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    return Response(file.content, media_type=export.MEDIA_TYPES[format], headers=headers)


@workload_router.get("", operation_id="list_workloads")
def list_workloads() -> WorkloadList:
    """Returns the built-in workloads with their specifications."""
    return WorkloadList(items=list(describe.built_in()))


@workload_router.post("/description", operation_id="describe_workload")
def describe_workload(body: SpecificationWrite) -> Personality:
    """Reads a specification in Filebench's workload model language. A mistake is refused with its line and column."""
    return describe.describe(name="", spec=body.spec, fit_bytes=body.fit_bytes)
