"""Verifies a file or device of this machine by a signed manifest, without a server."""

import hashlib
import json
import os
import stat
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from patina.cli.client import Client, Refused
from patina.cli.terminal import console_for, show
from patina.errors import PatinaError
from patina.figures import exactly_bytes, in_bytes
from patina.image.index import Entry, Index
from patina.image.index_file import IndexBytes
from patina.image.signature import NotSigned
from patina.image.signature import verify as verify_signature


def verify_offline(target: Path, *, manifest: Path, key: Path | None, as_json: bool) -> None:
    """Checks the signature of `manifest`, then that `target` contains exactly the bytes of the image. Asks the server
    for its key when none is given. Raises Refused."""
    document = _document(manifest)
    public_key = Client().content("/images/manifest-key.pem") if key is None else _read(key)
    try:
        signed = json.loads(verify_signature(document, public_key))
    except NotSigned as error:
        raise Refused("manifest_not_signed", f"{manifest} is not trusted. {error}") from error
    drawn = Progress(*_columns(), console=console_for(as_json), transient=True)
    with _index(manifest, document, signed) as index, drawn as progress:
        task = progress.add_task(f"Reading {target}", total=index.facts.image_bytes)
        for read_bytes in _compared(target, signed["name"], index):
            progress.update(task, completed=read_bytes)
    facts = {name: signed[name] for name in ("name", "size_bytes", "index_digest", "created_at")}
    said = (
        f"{target} contains image {facts['name']} of {facts['created_at']}, {in_bytes(facts['size_bytes'])}, as signed."
    )
    show({"path": str(target)} | facts, said, as_json=as_json)


def _columns() -> tuple[TextColumn, BarColumn, DownloadColumn]:
    return TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(binary_units=True)


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(_read(path))
    except ValueError as error:
        raise Refused("manifest_not_signed", f"{path} is not JSON ({error}). Fetch the manifest again.") from error
    if not isinstance(document, dict):
        raise Refused("manifest_not_signed", f"{path} is not a signed manifest. `patina image manifest` prints one.")
    return document


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refused("file_unreadable", f"{path} cannot be read: {error.strerror}.") from error


@contextmanager
def _index(path: Path, document: dict[str, Any], signed: dict[str, Any]) -> Iterator[Index]:
    """Opens the index of the manifest. Its digest is in the signed part."""
    try:
        content = b64decode(document["index"], validate=True)
        index = Index(IndexBytes(f"The index in {path}", content), signed["index_digest"])
    except (KeyError, TypeError, ValueError, PatinaError) as error:
        why = error.message if isinstance(error, PatinaError) else f"{type(error).__name__}: {error}"
        raise Refused(
            "manifest_index_changed",
            f"The index in {path} is not the one that was signed ({why}) `patina image manifest` fetches it again.",
        ) from error
    with index:
        yield index


def _compared(path: Path, name: str, index: Index) -> Iterator[int]:
    """Compares the file with the index chunk by chunk. Yields the bytes read so far. Raises Refused."""
    image_bytes = index.facts.image_bytes
    try:
        with path.open("rb", buffering=0) as file:
            has_bytes = os.lseek(file.fileno(), 0, os.SEEK_END)
            # A device may be larger than its image, as when a restore writes to it.
            is_device = stat.S_ISBLK(os.fstat(file.fileno()).st_mode)
            if has_bytes < image_bytes or (has_bytes > image_bytes and not is_device):
                raise Refused(
                    "size_differs",
                    f"{path} has {exactly_bytes(has_bytes)}, and image {name} {exactly_bytes(image_bytes)}.",
                )
            for number, entry in enumerate(index.entries()):
                _compare(file.fileno(), path, number, entry, index.facts.chunks_count)
                yield entry.end_bytes
    except OSError as error:
        raise Refused("file_unreadable", f"{path} cannot be read: {error.strerror}.") from error


def _compare(descriptor: int, path: Path, number: int, entry: Entry, chunks_count: int) -> None:
    found = hashlib.sha256(os.pread(descriptor, entry.length_bytes, entry.offset_bytes)).hexdigest()
    if found != entry.digest.hex():
        raise Refused(
            "content_differs",
            f"{path} differs from the image first in chunk {number} of {chunks_count}, the bytes {entry.offset_bytes} "
            f"to {entry.end_bytes - 1}: their SHA-256 is {found}, not {entry.digest.hex()}.",
        )
