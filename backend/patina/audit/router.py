"""Routes of the audit trail."""

from enum import StrEnum
from typing import Annotated

from fastapi import Query
from fastapi.responses import StreamingResponse

from patina.audit.listing import AuditQuery, as_csv, as_json_lines
from patina.audit.models import AuditEntry
from patina.audit.schemas import AuditEntryRead
from patina.http.page import Cursor, Limit, Page
from patina.http.request import RequestSession
from patina.http.routing import Router

router = Router(prefix="/audit", tags=["audit"])


class AuditFormat(StrEnum):
    JSON_LINES = "jsonl"
    CSV = "csv"


_WRITERS = {
    AuditFormat.JSON_LINES: (as_json_lines, "application/jsonl"),
    AuditFormat.CSV: (as_csv, "text/csv; charset=utf-8"),
}


class _Listed(AuditQuery):
    cursor: Cursor = None
    limit: Limit = 50


@router.get("", operation_id="list_audit")
def list_audit(session: RequestSession, query: Annotated[_Listed, Query()]) -> Page[AuditEntryRead]:
    """Returns the entries that pass the filters, newest first."""
    return Page[AuditEntryRead].read(
        AuditEntry, *query.conditions(), session=session, cursor=query.cursor, limit=query.limit
    )


class _Exported(AuditQuery):
    format: AuditFormat = AuditFormat.JSON_LINES


@router.get("/export", operation_id="export_audit", response_class=StreamingResponse)
def export_audit(query: Annotated[_Exported, Query()]) -> StreamingResponse:
    """Returns all entries that pass the filters, oldest first."""
    writer, media_type = _WRITERS[query.format]
    headers = {"Content-Disposition": f'attachment; filename="patina-audit.{query.format}"'}
    return StreamingResponse(writer(query), media_type=media_type, headers=headers)
