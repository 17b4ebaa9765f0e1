"""Fetches an image into a file: resumes after an interruption, compares digests at the end."""

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import httpx2
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from patina.cli import completion
from patina.cli.client import Client, Refused
from patina.figures import in_bytes


class SpeedColumn(ProgressColumn):
    """Bytes a second in IEC units; rich's own column has decimal ones."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("?" if speed is None else f"{in_bytes(speed)}/s", style="progress.data.speed")


# Tries in a row without progress before it fails; the pause grows with each.
ATTEMPTS_COUNT = 5
PAUSE_S = 0.2
PIECE_BYTES = 64 * 2**10


IMAGE_HELP = "Number, name, tag (name:tag, team/name:tag) or digest (@sha256:...) of the image."
ImageArgument = Annotated[str, typer.Argument(help=IMAGE_HELP, autocompletion=completion.images)]


def find_image(client: Client, name: str) -> dict[str, Any]:
    """Returns the image that a reference names: its number, its name, a tag, or `@sha256:` with its digest."""
    return dict(client.call("GET", "/images/named", params={"reference": name}))


def find_download(client: Client, image: dict[str, Any], image_format: str) -> dict[str, Any]:
    """Returns the image's download in this format."""
    offered = {item["format"]: item for item in client.call("GET", f"/images/{image['id']}/downloads")["items"]}
    if image_format not in offered:
        raise Refused("format_unknown", f"{image_format!r} is not a format. There are: {', '.join(offered)}.")
    return dict(offered[image_format])


def target_of(output: Path | None, download: dict[str, Any], *, is_forced: bool) -> Path:
    """Returns the path of the file to make. Raises Refused when it exists, unless `is_forced`."""
    target = output or Path(download["file_name"])
    if target.is_dir():
        target /= download["file_name"]
    if target.exists() and not is_forced:
        raise Refused("file_exists", f"{target} is there already. Name another with -o, or replace it with --force.")
    return target


@dataclass
class _Part:
    """The received beginning of the file, with its running digest."""

    path: Path
    file: BinaryIO
    is_sparse: bool
    done_bytes: int = 0
    sha: Any = field(default_factory=hashlib.sha256)

    def take(self, piece: bytes) -> None:
        """Appends the next bytes. A raw image keeps holes for zeroes, which read the same."""
        if self.is_sparse and piece.count(0) == len(piece):
            self.file.seek(len(piece), os.SEEK_CUR)
        else:
            self.file.write(piece)
        self.sha.update(piece)
        self.done_bytes += len(piece)


@contextmanager
def _part_of(target: Path, download: dict[str, Any]) -> Iterator[_Part]:
    """Opens the part of an earlier try of the same bytes, or a new one. Its name contains a digest of their ETag."""
    mark = hashlib.sha256(download["etag"].encode()).hexdigest()[:8]
    path = target.with_name(f"{target.name}.{mark}.part")
    try:
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644), "r+b") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise Refused("pull_under_way", f"Another patina pull is writing {path}.") from error
            part = _Part(path, file, is_sparse=download["format"] == "raw")
            try:
                yield part
            finally:
                file.truncate(part.done_bytes)  # also a hole at the end
    except OSError as error:
        raise Refused("write_failed", f"{path} cannot be written: {error.strerror}. Pull again to go on.") from error


def _read_again(part: _Part, size_bytes: int, advance: Progress, task: TaskID) -> None:
    """Adds the bytes of an earlier try to the digest."""
    if part.path.stat().st_size > size_bytes:
        return
    while piece := part.file.read(PIECE_BYTES):
        part.sha.update(piece)
        part.done_bytes += len(piece)
        advance.update(task, completed=part.done_bytes)


def _fetch(client: Client, download: dict[str, Any], part: _Part, progress: Progress, task: TaskID) -> None:
    """Fetches the missing bytes, over new connections as long as each try makes progress."""
    idle_tries = 0
    while part.done_bytes < download["size_bytes"]:
        before = part.done_bytes
        try:
            with client.stream(download["url"], _headers(download, part)) as response:
                if response.status_code != (206 if part.done_bytes else 200) or (
                    response.headers["etag"] != download["etag"]
                ):
                    raise Refused("download_changed", "The image was stored anew meanwhile. Pull it again.")
                for piece in response.iter_raw(PIECE_BYTES):
                    part.take(piece)
                    progress.update(task, completed=part.done_bytes)
        except httpx2.TransportError as error:
            idle_tries = 0 if part.done_bytes > before else idle_tries + 1
            if idle_tries >= ATTEMPTS_COUNT:
                left = f"{in_bytes(part.done_bytes)} of {in_bytes(download['size_bytes'])} are in {part.path}"
                raise Refused(
                    "connection_lost", f"The connection broke ({error}); {left}. Pull again to go on."
                ) from error
            time.sleep(PAUSE_S * 2**idle_tries)


def _headers(download: dict[str, Any], part: _Part) -> dict[str, str]:
    if part.done_bytes == 0:
        return {}
    return {"Range": f"bytes={part.done_bytes}-", "If-Range": download["etag"]}


def digest_of(client: Client, download: dict[str, Any]) -> str:
    """Returns the server's digest; waits while the server computes it."""
    idle_tries = 0
    while True:
        try:
            return client.text(download["sha256_url"]).split()[0]
        except Refused as refusal:
            if refusal.code != "digest_pending":
                raise
            idle_tries = 0
        except httpx2.TransportError as error:
            idle_tries += 1
            if idle_tries >= ATTEMPTS_COUNT:
                raise Refused("unreachable", f"The server did not send its digest ({error}). Pull again.") from error
        time.sleep(PAUSE_S * 2**idle_tries)


def pull(client: Client, download: dict[str, Any], target: Path, console: Console) -> dict[str, Any]:
    """Makes `target`. Returns a description of the file."""
    columns = (TextColumn("{task.description:<24}"), BarColumn(), DownloadColumn(binary_units=True), SpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        task = progress.add_task("Reading what is there", total=download["size_bytes"])
        with _part_of(target, download) as part:
            _read_again(part, download["size_bytes"], progress, task)
            part.file.seek(part.done_bytes)
            part.file.truncate()
            progress.reset(task, description=download["file_name"], completed=part.done_bytes)
            _fetch(client, download, part, progress, task)
            part.file.truncate(part.done_bytes)
            os.fsync(part.file.fileno())
            progress.update(task, description="Comparing digests")
            right, ours = digest_of(client, download), part.sha.hexdigest()
            if ours != right:
                part.path.unlink()
                raise Refused("digest_mismatch", f"The pulled file has the SHA-256 {ours}, not {right}. Pull it again.")
            part.path.replace(target)
        progress.update(task, description=download["file_name"])
    return {"path": str(target), "format": download["format"], "size_bytes": part.done_bytes, "sha256": ours}
