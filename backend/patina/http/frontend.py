"""Serves the built frontend, if present, beside the API: one port, one origin."""

import re
import secrets
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, HTMLResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

#: Placeholder in each built page for the nonce of the response (frontend/vite.config.ts).
NONCE = "PATINA_NONCE"

#: Allows files of this server. A style element needs the response's nonce; scripts are files.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-PATINA_NONCE'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


#: Encodings of the packed files that the build leaves beside a file, the smallest first (frontend/build/packed.ts).
PACKED = {"br": ".br", "gzip": ".gz"}


class _Hashed(StaticFiles):
    """Files whose names contain a hash of their content: browsers cache them forever. Sent as packed by the build."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        accepted = _accepted(Headers(scope=scope).get("accept-encoding", ""))
        for encoding, suffix in PACKED.items():
            if encoding in accepted and path.endswith((".js", ".css")) and self.lookup_path(path + suffix)[1]:
                response = await super().get_response(path + suffix, scope)
                response.headers["Content-Encoding"] = encoding
                break
        else:
            response = await super().get_response(path, scope)
        response.headers["Vary"] = "Accept-Encoding"
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def _accepted(header: str) -> set[str]:
    """Returns the encodings that a request accepts by name."""
    listed = [part.replace(" ", "").lower() for part in header.split(",")]
    return {part.partition(";")[0] for part in listed if not re.search(r";q=0(\.0*)?$", part)}


def install_frontend(app: FastAPI, folder: Path) -> None:
    """Serves /assets, the API's documentation, and index.html for each other path outside the API."""
    if not (folder / "index.html").is_file():
        return
    app.mount("/assets", _Hashed(directory=folder / "assets"), name="assets")

    @app.get("/api/docs", include_in_schema=False)
    def _documentation() -> Response:
        return _page(folder / "docs.html")

    @app.get("/{path:path}", include_in_schema=False)
    def _any(path: str) -> Response:
        if path.startswith("api/"):
            raise HTTPException(status_code=404, detail=f"There is nothing at /{path}.")
        file = _file_at(folder, path)
        if file is None or file.suffix == ".html":
            return _page(file or folder / "index.html")
        return FileResponse(file, headers={"Cache-Control": "no-cache"})


def _page(file: Path) -> Response:
    """Returns a page with its own nonce. It has no validator: a cached body must not meet a new policy."""
    nonce = secrets.token_urlsafe(16)
    return HTMLResponse(
        file.read_text(encoding="utf-8").replace(NONCE, nonce),
        headers={"Cache-Control": "no-cache", "Content-Security-Policy": POLICY.replace(NONCE, nonce)},
    )


def _file_at(folder: Path, path: str) -> Path | None:
    """Returns the frontend's file of that path; None if there is none, or the path is not a file name."""
    try:
        file = (folder / path).resolve()
        return file if file.is_file() and file.is_relative_to(folder.resolve()) else None
    except (OSError, ValueError):
        return None
