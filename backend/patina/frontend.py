"""Serves the built frontend beside the API, when it has been built: one port, one origin."""

from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.responses import Response


class _Hashed(StaticFiles):
    """Files whose names contain a hash of their content: a browser need not ask for one again."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        response = super().file_response(*arguments, **options)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def install_frontend(app: FastAPI, folder: Path) -> None:
    """Files under /assets, and index.html for every path that is neither a file nor the API's."""
    if not (folder / "index.html").is_file():
        return
    app.mount("/assets", _Hashed(directory=folder / "assets"), name="assets")

    @app.get("/{path:path}", include_in_schema=False)
    def _page(path: str) -> FileResponse:
        if path.startswith("api/"):
            raise HTTPException(status_code=404, detail=f"There is nothing at /{path}.")
        return FileResponse(_file_at(folder, path) or folder / "index.html", headers={"Cache-Control": "no-cache"})


def _file_at(folder: Path, path: str) -> Path | None:
    """The frontend's file of that path; None where there is none, or where the path cannot name a file."""
    try:
        file = (folder / path).resolve()
        return file if file.is_file() and file.is_relative_to(folder.resolve()) else None
    except (OSError, ValueError):
        return None
