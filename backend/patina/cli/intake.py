"""Uploads a file to import: resumes an interrupted upload, then waits for the image."""

import hashlib
import json
import os
import time
import uuid
from pathlib import Path
from typing import Any, BinaryIO

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from patina.cli.client import Client, Refused
from patina.cli.pull import ATTEMPTS_COUNT, PAUSE_S
from patina.cli.watch import refused, watch

PIECE_BYTES = 8 * 2**20
_RETRIED = frozenset({"unreachable", "upload_under_way", "offset_mismatch"})
_PACKINGS = (".tar", ".oci", ".img", ".raw", ".zst", ".qcow2", ".qcow", ".dd", ".bin")


def name_of(file: Path) -> str:
    """Returns the image's name: the file's without the suffixes of its format."""
    name = file.name
    while name.lower().endswith(_PACKINGS):
        name = name[: name.rindex(".")]
    return name


def _key(file: Path, body: dict[str, object]) -> str:
    """Returns a key that depends on the file and the request, so that a second try finds the first."""
    status = file.stat()
    said = f"{file.resolve()} {status.st_ino} {status.st_mtime_ns} {json.dumps(body)}"
    return hashlib.sha256(os.fsencode(said)).hexdigest()


def begin(
    client: Client, file: Path, *, name: str, kind: str, source: str, image_format: str | None, is_private: bool = False
) -> dict[str, Any]:
    """Returns a new intake, or the open one of an earlier try."""
    if not file.is_file():
        raise Refused("file_missing", f"{file} is not a file.")
    body: dict[str, object] = {
        "name": name,
        "kind": kind,
        "source": source,
        "file_name": file.name,
        "size_bytes": file.stat().st_size,
    }
    if image_format is not None:
        body["format"] = image_format
    if is_private:
        body["sharing"] = {"visibility": "private"}
    headers = {"Idempotency-Key": _key(file, body)}
    begun: dict[str, Any] = client.call("POST", "/intakes", json=body, headers=headers)
    if begun["state"] not in ("failed", "canceled", "succeeded"):
        return begun
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    return dict(client.call("POST", "/intakes", json=body, headers=headers))


def import_file(client: Client, file: Path, intake: dict[str, Any], console: Console) -> dict[str, Any]:
    """Returns the image made of the file."""
    columns = (TextColumn("{task.description:<40}"), BarColumn(), DownloadColumn(binary_units=True))
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        task = progress.add_task("Reading what was sent", total=intake["size_bytes"])
        if intake["state"] in ("uploading", "interrupted"):
            sha256 = _send(client, file, intake, progress, task)
            client.call("POST", f"/intakes/{intake['id']}/finish", json={"sha256": sha256})
        intake = watch(client, f"/intakes/{intake['id']}", progress, task)
        progress.update(task, description=intake["state"].capitalize())
    if intake["state"] != "succeeded":
        raise refused(intake, f"Import of {file.name}")
    image: dict[str, Any] = client.call("GET", f"/images/{intake['image']['id']}")
    return image


def _send(client: Client, path: Path, intake: dict[str, Any], progress: Progress, task: TaskID) -> str:
    """Sends the rest of the file, over new connections as long as each try makes progress. Returns the SHA-256."""
    sha, offset, idle_tries = hashlib.sha256(), 0, 0
    with path.open("rb") as file:
        while offset < intake["received_bytes"]:
            piece = _piece(file, path, min(PIECE_BYTES, intake["received_bytes"] - offset))
            sha.update(piece)
            offset += len(piece)
            progress.update(task, completed=offset)
        progress.update(task, description=f"Sending {path.name}")
        while offset < intake["size_bytes"]:
            file.seek(offset)
            piece = _piece(file, path, min(PIECE_BYTES, intake["size_bytes"] - offset))
            received = _received(client, intake["id"], piece, offset)
            idle_tries = 0 if received > offset else idle_tries + 1
            if idle_tries >= ATTEMPTS_COUNT:
                raise Refused(
                    "connection_lost", f"The connection broke; {offset} bytes were sent. Run it again to go on."
                )
            if idle_tries:
                time.sleep(PAUSE_S * 2**idle_tries)
            sha.update(piece[: received - offset])
            offset = received
            progress.update(task, completed=offset)
    return sha.hexdigest()


def _piece(file: BinaryIO, path: Path, length: int) -> bytes:
    piece = file.read(length)
    if not piece:
        raise Refused("file_changed", f"{path} has become shorter while it was sent. Import it again.")
    return piece


def _received(client: Client, intake_id: int, piece: bytes, offset: int) -> int:
    """Returns the bytes received after this piece; queries the server after a broken connection."""
    headers = {"Upload-Offset": str(offset), "Content-Type": "application/octet-stream"}
    try:
        answer = client.call("PATCH", f"/intakes/{intake_id}/file", content=piece, headers=headers)
    except Refused as refusal:
        if refusal.code not in _RETRIED:
            raise
        try:
            answer = client.call("GET", f"/intakes/{intake_id}")
        except Refused as silence:
            if silence.code != "unreachable":
                raise
            return offset
    # Bytes that another connection sent beyond this piece are not in the digest.
    return min(int(answer["received_bytes"]), offset + len(piece))
