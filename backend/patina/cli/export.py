"""Exports an image with its recipe as one file: an OCI image layout in a tar file, which registries can carry."""

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import httpx2
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from patina.cli.archive import ArchiveWriter
from patina.cli.client import Client, Refused
from patina.cli.pull import ATTEMPTS_COUNT, PAUSE_S, PIECE_BYTES
from patina.image import oci


def export(client: Client, image: dict[str, Any], target: Path, console: Console) -> dict[str, Any]:
    """Makes `target` of the image, layer by layer. Returns a description of the file. Raises Refused."""
    place = f"/images/{image['id']}"
    layers_count = client.call("GET", f"{place}/layers")["layers_count"]
    config = client.content(f"{place}/manifest.json")
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} layers"),
    )
    with _new(target) as file, Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        archive, layers = ArchiveWriter(file), []
        for number in progress.track(range(layers_count), description=f"Exporting {image['name']}"):
            layers.append(archive.add_blob(oci.LAYER_TYPE, partial(_fetch, client, f"{place}/layers/{number}")))
        manifest = archive.end(image["name"], config, layers)
        size_bytes = file.tell()
    return {
        "path": str(target),
        "size_bytes": size_bytes,
        "digest": manifest["digest"],
        "layers_count": layers_count,
        "index_digest": image["index_digest"],
    }


@contextmanager
def _new(target: Path) -> Iterator[BinaryIO]:
    """Opens a file that gets its name when it is complete, and is removed otherwise."""
    part = target.with_name(f"{target.name}.part")
    try:
        with part.open("x+b") as file:
            try:
                yield file
                part.replace(target)
            except BaseException:
                part.unlink()
                raise
    except FileExistsError as error:
        raise Refused("export_under_way", f"Another export writes {part}. Remove it if none does.") from error
    except OSError as error:
        raise Refused("write_failed", f"{target} cannot be written: {error.strerror}.") from error


def _fetch(client: Client, path: str, file: BinaryIO) -> tuple[str, int]:
    """Writes a layer, from its beginning after a broken connection. Returns its digest and its size."""
    at, idle_tries = file.tell(), 0
    while True:
        sha = hashlib.sha256()
        try:
            with client.stream(f"/api/v1{path}", {}) as response:
                for piece in response.iter_raw(PIECE_BYTES):
                    file.write(piece)
                    sha.update(piece)
            return f"sha256:{sha.hexdigest()}", file.tell() - at
        except httpx2.TransportError as error:
            idle_tries += 1
            if idle_tries >= ATTEMPTS_COUNT:
                raise Refused(
                    "connection_lost",
                    f"The connection broke ({error}), {idle_tries} times in the same layer. If the server answers, "
                    "its log names a damaged chunk.",
                ) from error
            time.sleep(PAUSE_S * 2**idle_tries)
            file.seek(at)
            file.truncate()
