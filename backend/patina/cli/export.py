"""Exports an image with its recipe as one file: an OCI image layout in a tar file, which registries can carry."""

import hashlib
import json
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import httpx2
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from patina.cli.client import Client, Refused
from patina.cli.pull import ATTEMPTS_COUNT, PAUSE_S, PIECE_BYTES
from patina.image import oci


class _Archive:
    """A tar file that is being written, with blobs whose digests are known only after their last byte. The same blobs
    in the same order make the same file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._blobs: set[str] = set()

    def add_file(self, path: str, content: bytes) -> None:
        """Adds a small file."""
        self._file.write(_header(path, len(content)) + content)
        self._pad()

    def add_blob(self, media_type: str, fill: Callable[[BinaryIO], tuple[str, int]]) -> dict[str, Any]:
        """Adds what `fill` writes to the file; it returns the digest and the size. A blob that is there already is
        not added again. Returns the blob's descriptor."""
        at = self._file.tell()
        self._file.seek(tarfile.BLOCKSIZE, 1)
        digest, size_bytes = fill(self._file)
        if digest in self._blobs:
            self._file.seek(at)
            self._file.truncate()
        else:
            self._blobs.add(digest)
            self._pad()
            end = self._file.tell()
            self._file.seek(at)
            self._file.write(_header(oci.blob_path(digest), size_bytes))
            self._file.seek(end)
        return oci.descriptor_of(media_type, digest, size_bytes)

    def add_content(self, media_type: str, content: bytes) -> dict[str, Any]:
        """Adds a blob that is in memory. Returns its descriptor."""

        def _fill(file: BinaryIO) -> tuple[str, int]:
            file.write(content)
            return f"sha256:{hashlib.sha256(content).hexdigest()}", len(content)

        return self.add_blob(media_type, _fill)

    def end(self) -> None:
        """Writes the end of the archive."""
        self._file.write(bytes(2 * tarfile.BLOCKSIZE))
        self._file.truncate()

    def _pad(self) -> None:
        self._file.write(bytes(-self._file.tell() % tarfile.BLOCKSIZE))


def _header(path: str, size_bytes: int) -> bytes:
    """Returns one block: no time, no owner, a mode; sizes over 8 GiB as GNU tar writes them."""
    member = tarfile.TarInfo(path)
    member.size = size_bytes
    return member.tobuf(tarfile.GNU_FORMAT)


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
        archive = _Archive(file)
        archive.add_file(oci.LAYOUT_FILE, oci.encoded({"imageLayoutVersion": oci.LAYOUT_VERSION}))
        described = archive.add_content(oci.CONFIG_TYPE, config)
        layers = []
        for number in progress.track(range(layers_count), description=f"Exporting {image['name']}"):
            layers.append(archive.add_blob(oci.LAYER_TYPE, partial(_fetch, client, f"{place}/layers/{number}")))
        created_at = json.loads(config)["created_at"]
        document = oci.encoded(oci.manifest_of(image["name"], created_at, described, layers))
        manifest = archive.add_content(oci.MANIFEST_TYPE, document)
        archive.add_file(oci.INDEX_FILE, oci.encoded(oci.index_of(image["name"], manifest)))
        archive.end()
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
