"""Collects garbage in the bucket: objects older than the grace period that no kept or young index names."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice

from patina.bucket.client import CHUNKS, INDEXES, Bucket, BucketObject
from patina.core.contract.image import BucketFigures
from patina.core.failure import Stopped
from patina.image.chunk import chunk_of_path
from patina.image.download import open_index
from patina_worker import stopping
from patina_worker.store.bucket_lock import CollectionLock

_PAGE = 1_000
# The part of a digest that is compared, as in the core: a chunk that shares it with a named one is kept as well.
_KEY_BYTES = 8


@dataclass
class _Count:
    chunks_count: int = 0
    bytes: int = 0

    def add(self, size_bytes: int) -> None:
        self.chunks_count += 1
        self.bytes += size_bytes


@dataclass
class BucketCollection:
    """One pass over the bucket. Take the kept indexes from the catalog only after the lock is held."""

    remote: Bucket
    lock: CollectionLock
    kept_indexes: dict[str, str]  # digests by name
    grace_s: int
    is_dry_run: bool
    _kept: _Count = field(default_factory=_Count)
    _young: _Count = field(default_factory=_Count)
    _removed: _Count = field(default_factory=_Count)

    def collect(self) -> BucketFigures:
        """Reads every index to its end before it removes anything; if one cannot be read, fails and removes nothing."""
        named, garbage = self._named()
        self._remove(iter(garbage))  # before their chunks: an index never names a chunk that is gone
        self._remove(self._garbage_chunks(named))
        return BucketFigures(
            bucket=self.remote.name,
            kept_chunks_count=self._kept.chunks_count,
            kept_bytes=self._kept.bytes,
            young_chunks_count=self._young.chunks_count,
            young_bytes=self._young.bytes,
            removed_chunks_count=self._removed.chunks_count,
            removed_bytes=self._removed.bytes,
        )

    def _named(self) -> tuple[set[bytes], list[str]]:
        """Returns the keys of the chunks that must stay, and the unneeded indexes."""
        indexes: dict[str, str | None] = {**self.kept_indexes}
        garbage = []
        for found in self._objects(INDEXES):
            name = found.path.removeprefix(f"{INDEXES}/")
            if name in indexes:
                continue
            # A young one may belong to a capture whose image is not yet in the catalog.
            if self._is_young(found):
                indexes[name] = None
            else:
                garbage.append(found.path)
        named: set[bytes] = set()
        for name, digest in indexes.items():
            with open_index(name, digest) as index:
                named.update(entry.digest[:_KEY_BYTES] for entry in index.entries())
        return named, garbage

    def _garbage_chunks(self, named: set[bytes]) -> Iterator[str]:
        for found in self._objects(CHUNKS):
            digest = chunk_of_path(found.path.removeprefix(f"{CHUNKS}/"))
            if digest is None:
                continue
            if digest[:_KEY_BYTES] in named:
                self._kept.add(found.size_bytes)
            elif self._is_young(found):
                self._young.add(found.size_bytes)
            else:
                self._removed.add(found.size_bytes)
                yield found.path

    def _objects(self, folder: str) -> Iterator[BucketObject]:
        for page in self.remote.pages(folder):
            if stopping.is_announced():
                raise Stopped("Stopped in the middle of a collection of the bucket; the next one goes on.")
            yield from page

    def _is_young(self, found: BucketObject) -> bool:
        return datetime.now(UTC) - found.modified_at < timedelta(seconds=self.grace_s)

    def _remove(self, paths: Iterator[str]) -> None:
        while page := list(islice(paths, _PAGE)):
            if not self.is_dry_run:
                self.lock.check()
                self.remote.remove(page)
