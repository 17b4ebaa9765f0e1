"""The route that reads files as a profile."""

from typing import Any

from anyio import to_thread
from fastapi import Request

from patina.http.routing import Router
from patina.profile_import import service
from patina.profile_import.body import MAX_FILES_COUNT, receive_form
from patina.profile_import.schemas import ProfileReading

router = Router(prefix="/profile_readings", tags=["profile"])

# Rows take memory while they are read: this many requests at a time; others wait.
READING_THREADS_COUNT = 2

_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "files": {
            "type": "array",
            "items": {"type": "string", "format": "binary"},
            "maxItems": MAX_FILES_COUNT,
            "description": "Patina's JSON, Geriatrix's three texts or a zip of them, CSV, or columns",
        },
        "text": {"type": "string", "description": "A pasted text, instead of files"},
        "histogram": {
            "type": "string",
            "enum": ["size", "depth", "age"],
            "description": "Histogram of a table of two columns, which do not name it",
        },
    },
}


@router.post(
    "",
    operation_id="read_profile",
    openapi_extra={"requestBody": {"content": {"multipart/form-data": {"schema": _FORM}}, "required": True}},
)
async def read_profile(request: Request) -> ProfileReading:
    """Reads files or a pasted text as a profile, row by row, and reports problems. Stores nothing."""
    form = await receive_form(request)
    return await to_thread.run_sync(
        lambda: service.read_files(files=form.files, histogram=form.histogram),
        limiter=request.app.state.reading_threads,
    )
