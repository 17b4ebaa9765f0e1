"""Makes a thin archive of an image: its index, and those of its chunks that another server lacks, each checked."""

import hashlib
import json
import os
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import httpx2
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from patina.cli.archive import ArchiveWriter
from patina.cli.client import Client, Refused, naming_server
from patina.cli.pull import ATTEMPTS_COUNT, PAUSE_S, PIECE_BYTES
from patina.errors import PatinaError
from patina.image import oci
from patina.image.chunk import WrongChunk, frames, max_stored_bytes, new_unpacker, relative_path, unpack_chunk
from patina.image.index import Entry, Index

_QUESTION_COUNT = 4_096  # chunks in one question
_THREADS_COUNT = 8
_AHEAD_COUNT = 16  # chunks that are fetched, or wait to be written, at a time
_ROUTE_MISSING = frozenset({"not_found", "method_not_allowed"})


def make_thin_archive(
    source: Client, target: Client, image: dict[str, Any], file: Path, console: Console, *, is_whole: bool
) -> None:
    """Makes `file` of the image of `source`, for `target`. Goes on where an earlier try has stopped. `is_whole` is for
    all chunks. Raises Refused."""
    with naming_server(source):
        config = source.content(f"/images/{image['id']}/manifest.json")
    with naming_server(target):
        _require_readable(target, config)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TextColumn("chunks"))
    part, index_file = file.with_name(f"{file.name}.part"), file.with_name("index.caibx")
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        task = progress.add_task("Asking what is missing", total=None)
        with naming_server(source):
            index = _fetched_index(source, image, index_file)
        with index, naming_server(target):
            wanted = list(_wanted(target, index, is_whole=is_whole))
        progress.update(task, description="Fetching what is missing", total=len(wanted))
        with os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+b") as written:
            writer = ArchiveWriter(written)
            with naming_server(source):
                chunks = writer.add_blob(
                    oci.THIN_CHUNKS_TYPE, lambda into: _add_chunks(source, wanted, into, progress, task)
                )
            described = writer.add_content(oci.THIN_INDEX_TYPE, index_file.read_bytes())
            writer.end(image["name"], config, [described, chunks])
            written.flush()
    part.rename(file)


def _require_readable(target: Client, config: bytes) -> None:
    """Raises Refused unless the target takes thin archives with this manifest from this account."""
    try:
        reads = _ask(target, [])["manifest_schema_version"]
    except Refused as refusal:
        if refusal.code not in _ROUTE_MISSING:
            raise
        raise Refused(
            "version_differs",
            "Its version of Patina takes no images from other servers. Update it, or use `patina image export`.",
        ) from refusal
    found = json.loads(config)["schema_version"]
    if found != reads:
        raise Refused(
            "version_differs",
            f"It reads manifests of version {reads}, and the image has one of version {found}. "
            "Update the server with the older version of Patina.",
        )


def _ask(target: Client, digests: list[str]) -> dict[str, Any]:
    return dict(target.call("POST", "/chunks/missing", json={"digests": digests}))


def _fetched_index(source: Client, image: dict[str, Any], file: Path) -> Index:
    """Returns the image's index, fetched into the file and checked. Raises Refused."""
    try:
        with file.open("wb") as written:
            for piece in source.pieces(f"/images/{image['id']}/index.caibx"):
                written.write(piece)
        return Index(file, image["index_digest"])
    except httpx2.TransportError as error:
        raise Refused("connection_lost", f"The connection broke ({error}). Run the command again.") from error
    except PatinaError as error:
        raise Refused(error.code, error.message) from error


def _wanted(target: Client, index: Index, *, is_whole: bool) -> Iterator[Entry]:
    """Yields each chunk that the target lacks, once, in the order of the index."""
    distinct = _distinct(index)
    while entries := list(islice(distinct, _QUESTION_COUNT)):
        if is_whole:
            yield from entries
            continue
        missing = set(_ask(target, [entry.digest.hex() for entry in entries])["digests"])
        yield from (entry for entry in entries if entry.digest.hex() in missing)


def _distinct(index: Index) -> Iterator[Entry]:
    seen: set[bytes] = set()
    for entry in index.entries():
        if entry.digest not in seen:
            seen.add(entry.digest)
            yield entry


def _add_chunks(
    source: Client, wanted: list[Entry], file: BinaryIO, progress: Progress, task: TaskID
) -> tuple[str, int]:
    """Appends the chunks to those that an earlier try has written. Returns digest and size of all of them."""
    at = file.tell()
    kept_count, size_bytes = _kept(file.fileno(), at, wanted)
    os.ftruncate(file.fileno(), at + size_bytes)
    sha = hashlib.sha256()
    for offset in range(0, size_bytes, PIECE_BYTES):
        sha.update(os.pread(file.fileno(), PIECE_BYTES, at + offset))
    file.seek(at + size_bytes)
    progress.update(task, completed=kept_count)
    for stored in _fetched(source, wanted[kept_count:]):
        file.write(stored)
        sha.update(stored)
        size_bytes += len(stored)
        progress.advance(task)
    return f"sha256:{sha.hexdigest()}", size_bytes


def _kept(descriptor: int, at: int, wanted: list[Entry]) -> tuple[int, int]:
    """Returns how many of the wanted chunks are in the file from `at` on, and their size."""
    count, end = 0, 0
    size_bytes = max(os.fstat(descriptor).st_size - at, 0)
    with suppress(WrongChunk):
        for stop, data in frames(lambda offset, length: os.pread(descriptor, length, at + offset), size_bytes):
            if count == len(wanted) or hashlib.sha256(data).digest() != wanted[count].digest:
                break
            count, end = count + 1, stop
    return count, end


def _fetched(source: Client, wanted: list[Entry]) -> Iterator[bytes]:
    """Yields the chunks as the source stores them, several of them under way."""
    waiting: deque[Future[bytes]] = deque()
    pool = ThreadPoolExecutor(_THREADS_COUNT, thread_name_prefix="chunk")
    try:
        for entry in wanted:
            waiting.append(pool.submit(_fetch_chunk, source, entry))
            if len(waiting) == _AHEAD_COUNT:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _fetch_chunk(source: Client, entry: Entry) -> bytes:
    """Returns the chunk as it is stored, checked; tries again after a broken connection."""
    tries = 0
    while True:
        try:
            stored = _read(source, entry)
            unpack_chunk(stored, entry.digest, entry.length_bytes, new_unpacker())
        except httpx2.TransportError as error:
            tries += 1
            if tries >= ATTEMPTS_COUNT:
                raise Refused(
                    "connection_lost", f"The connection broke ({error}). Run the command again to go on."
                ) from error
            time.sleep(PAUSE_S * 2**tries)
        except WrongChunk as wrong:
            raise Refused(
                "chunk_corrupt",
                f"The chunk {entry.digest.hex()} of the image is damaged: {wrong}. "
                "Capturing a device that holds it again repairs it there.",
            ) from wrong
        else:
            return stored


def _read(source: Client, entry: Entry) -> bytes:
    """Returns no more bytes than the chunk can have."""
    stored = b""
    with source.stream(f"/store/{relative_path(entry.digest)}", {}) as response:
        for piece in response.iter_bytes(PIECE_BYTES):
            stored += piece
            if len(stored) > max_stored_bytes(entry.length_bytes):
                break
    return stored
