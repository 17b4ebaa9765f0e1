"""Routes of studies."""

from typing import Annotated

from fastapi import Header, Query, Response
from sqlalchemy.orm import Session

from patina.http.page import Cursor, Limit
from patina.http.read_only import read_only
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.study import export, service
from patina.study.schemas import StudyPage, StudyRead, StudyRequest

router = Router(prefix="/studies", tags=["study"])


@router.post("", operation_id="start_study", status_code=202)
def start_study(
    session: RequestSession,
    response: Response,
    body: StudyRequest,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> StudyRead:
    """Queues a study: simulations of shingled disks on a host, which need no device. Idempotent with an
    Idempotency-Key."""
    study = service.start_study(session=session, create=body, idempotency_key=idempotency_key)
    response.headers["Location"] = f"/api/v1/studies/{study.id}"
    return service.read(session=session, study=study)


@router.get("", operation_id="list_studies")
@read_only
def list_studies(session: Session, cursor: Cursor = None, limit: Limit = 50) -> StudyPage:
    """Returns studies, newest first."""
    return service.list_studies(session=session, cursor=cursor, limit=limit)


@router.get("/{study_id}", operation_id="get_study")
def get_study(session: RequestSession, study_id: int) -> StudyRead:
    """Returns a study, with its results so far."""
    return service.read(session=session, study=service.get_study(session=session, study_id=study_id))


@router.get(
    "/{study_id}/export",
    operation_id="export_study",
    response_class=Response,
    responses={200: {"content": {media: {} for media in export.MEDIA_TYPES.values()}}},
)
def export_study(
    session: RequestSession, study_id: int, format: Annotated[export.StudyExportFormat, Query()]
) -> Response:
    """Returns a study as a file: CSV with a row for each result, or JSON with everything."""
    study = service.get_study(session=session, study_id=study_id)
    file = export.export_study(session=session, study=study, format=format)
    headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    return Response(file.content, media_type=export.MEDIA_TYPES[format], headers=headers)
