"""Fetches the missing parts of an image from the bucket: its index, and the chunks that are not in the store."""

import os
from collections.abc import Iterator
from itertools import islice

from patina.bucket.client import bucket
from patina.figures import in_bytes
from patina.file_name import file_below
from patina.image.chunks import ChunkStore
from patina.image.download import open_index
from patina.image.index import Entry, Index
from patina.settings import settings
from patina_worker.store.chunk_staging import Staging, adding_chunks, failing_as_store, make_folder, use_again
from patina_worker.store.exchange import Exchange, Observer

_BATCH = 1_024  # chunks per sync


def fetch_index(*, name: str, digest: str, observer: Observer) -> None:
    """Fetches the index into this host's folder, complete and durable, if there is a bucket and it is missing."""
    if bucket() is None or file_below(settings().index_dir, name).exists():
        return
    exchange = Exchange(patience_s=settings().store_patience_s, observer=observer)
    exchange.once(lambda: _fetch_index(name, digest))


def _fetch_index(name: str, digest: str) -> None:
    make_folder(settings().index_dir)
    temporary = file_below(settings().index_dir, f"{name}.tmp-{os.getpid()}")
    try:
        with open_index(name, digest) as index, failing_as_store("index"), temporary.open("wb") as file:
            for piece in index.content():
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        Index(temporary, digest).close()
        temporary.chmod(0o644)
        temporary.rename(file_below(settings().index_dir, name))
    finally:
        temporary.unlink(missing_ok=True)


def fetch_image(*, name: str, digest: str, observer: Observer) -> None:
    """Fetches index and chunks; ChunkMissing or ChunkCorrupt names one that the bucket lacks or has damaged."""
    remote = bucket()
    if remote is None:
        return
    fetch_index(name=name, digest=digest, observer=observer)
    store = ChunkStore(settings().store_dir, remote)
    with adding_chunks(observer.check), Index(file_below(settings().index_dir, name), digest) as index:
        lacking = list(_lacking(index, store))
        if lacking:
            total_bytes = sum(entry.length_bytes for entry in lacking)
            observer.say(f"Fetching {len(lacking)} chunks of {in_bytes(total_bytes)} from the bucket {remote.name}")
            _fetch_chunks(store, lacking, total_bytes, observer)
            observer.say("All that the image needs is on this host")


def _lacking(index: Index, store: ChunkStore) -> Iterator[Entry]:
    seen: set[bytes] = set()
    for entry in index.entries():
        if entry.digest in seen:
            continue
        seen.add(entry.digest)
        if store.holds_file(entry.digest):
            use_again(entry.digest)
        else:
            yield entry


def _fetch_chunks(store: ChunkStore, lacking: list[Entry], total_bytes: int, observer: Observer) -> None:
    exchange = Exchange(patience_s=settings().store_patience_s, observer=observer)
    entries = iter(lacking)
    with failing_as_store("staging folder"), Staging() as staging:

        def _fetch(entry: Entry) -> int:
            """Fetches a chunk and checks its digest before it is staged."""
            staging.put(entry.digest, store.of_bucket(entry).data)
            return entry.length_bytes

        while batch := list(islice(entries, _BATCH)):
            exchange.each(batch, _fetch, total_bytes=total_bytes)
            staging.publish()
