"""Sends a download over HTTP, whole or in part, at the client's pace, until the client disconnects."""

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

import anyio
import structlog
from anyio import CancelScope, CapacityLimiter, move_on_after, to_thread
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from patina.errors import PatinaError
from patina.image.download import Download, index_path, open_index
from patina.image.models import Image
from patina.image.place import require_here

# Threads that unpack chunks, separate from those of other requests.
DOWNLOAD_THREADS_COUNT = 4
# A client that reads nothing for this long counts as disconnected.
STALL_S = 120.0

_RANGE = re.compile(r"bytes=([0-9]{0,19})-([0-9]{0,19})", re.IGNORECASE)
_ENTITY_TAG = re.compile(r'(?:W/)?"[^"]*"')

log = structlog.get_logger()


RangeNotSatisfiable = PatinaError.of("range_not_satisfiable", "Range not satisfiable", status=416)


@dataclass(frozen=True)
class Part:
    """The bytes from `start` up to `stop`."""

    start: int
    stop: int


def requested_part(headers: Mapping[str, str], *, size_bytes: int, etag: str) -> Part | None:
    """Returns the part that the Range header requests; None for the whole. RFC 9110, section 14.

    Several ranges, or units other than bytes, are answered with the whole, as the standard allows.
    """
    match = _RANGE.fullmatch(headers.get("range", "").replace(" ", ""))
    if match is None or match[1] == match[2] == "":
        return None
    # If-Range names other bytes, or is a date: this server sends no dates.
    if headers.get("if-range", etag) != etag:
        return None
    if match[1] == "":
        start, stop = max(size_bytes - int(match[2]), 0), size_bytes
    else:
        start = int(match[1])
        stop = size_bytes if match[2] == "" else min(int(match[2]) + 1, size_bytes)
        if match[2] != "" and int(match[2]) < start:
            return None  # not a range
    if start >= stop:
        raise RangeNotSatisfiable(
            f"There are {size_bytes} bytes, numbered from 0; {match[0]} is past their end.",
            headers={"Content-Range": f"bytes */{size_bytes}"},
        )
    return Part(start, stop)


def is_fresh(headers: Mapping[str, str], etag: str) -> bool:
    """Returns whether the client's If-None-Match matches these bytes."""
    wanted = headers.get("if-none-match", "")
    return wanted.strip() == "*" or etag in [tag.removeprefix("W/") for tag in _ENTITY_TAG.findall(wanted)]


def attachment(file_name: str) -> str:
    """Returns a Content-Disposition that every browser supports."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", file_name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(file_name, safe='')}"


def index_response(image: Image) -> Response:
    """Returns the image's index as a download."""
    name, path = f"{image.name}.caibx", index_path(image)
    headers = {"ETag": f'"{image.index_digest}"'}
    if path is not None:
        return FileResponse(path, media_type="application/octet-stream", filename=name, headers=headers)
    require_here(image)
    index = open_index(image.index_name, image.index_digest)
    headers |= {"Content-Length": str(index.size_bytes), "Content-Disposition": attachment(name)}
    return StreamingResponse(index.content(), media_type="application/octet-stream", headers=headers)


def respond(request: Request, download: Download) -> Response:
    """Answers a GET or HEAD of the download. Reads the first piece early, so that damage there becomes a refusal."""
    headers = {
        "ETag": download.etag,
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "Content-Disposition": attachment(download.file_name),
    }
    if is_fresh(request.headers, download.etag):
        return Response(status_code=304, headers=headers)
    is_head = request.method == "HEAD"
    # A range is defined for GET only.
    part = None if is_head else requested_part(request.headers, size_bytes=download.size_bytes, etag=download.etag)
    status = 200 if part is None else 206
    if part is not None:
        headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{download.size_bytes}"
    else:
        part = Part(0, download.size_bytes)
    headers["Content-Length"] = str(part.stop - part.start)
    if is_head:
        return Response(status_code=status, headers=headers, media_type=download.media_type)
    threads: CapacityLimiter = request.app.state.download_threads
    return PiecesResponse(
        download.read(part.start, part.stop),
        media_type=download.media_type,
        logged={"image_id": download.image_id, "format": download.format},
        threads=threads,
        status_code=status,
        headers=headers,
    )


class PiecesResponse(Response):
    """Streams the pieces; stops when the client disconnects or stalls. Damage closes the connection."""

    def __init__(
        self,
        pieces: Generator[bytes],
        *,
        media_type: str,
        logged: Mapping[str, object],
        threads: CapacityLimiter,
        status_code: int = 200,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(None, status_code=status_code, headers=headers, media_type=media_type)
        if "Content-Length" not in headers:
            del self.headers["Content-Length"]  # that of no body
        self._pieces = pieces
        self._logged = logged
        self._first = next(self._pieces, b"")
        self._threads = threads

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Sends one piece at a time; a thread makes the next after the previous was sent."""

        async def _watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_watch)
                await self._send(send)
                group.cancel_scope.cancel()
        finally:
            with CancelScope(shield=True):
                await to_thread.run_sync(self._pieces.close, limiter=self._threads)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        piece = self._first
        while piece:
            with move_on_after(STALL_S) as patience:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            if patience.cancelled_caught:
                return self._abort("stalled", f"the client read nothing for {STALL_S} s")
            try:
                piece = await to_thread.run_sync(next, self._pieces, b"", limiter=self._threads)
            except PatinaError as error:
                return self._abort(error.code, error.message)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return None

    def _abort(self, code: str, reason: str) -> None:
        """Leaves the response incomplete: the server closes the connection, which the client detects."""
        log.error("download ended early", **self._logged, code=code, why=reason)
