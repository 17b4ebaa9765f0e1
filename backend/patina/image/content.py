"""Content of downloads, by format: size, and bytes from any offset, made from index and chunks."""

import hashlib
import struct
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import islice
from typing import Generic, Literal, Protocol, TypeVar

from patina.errors import PatinaError
from patina.image.chunks import ChunkReader, ChunkStore
from patina.image.index import Entry, Index
from patina.image.qcow2 import WRITER_VERSION, ClusterMap, Qcow2

# A capture that repairs a chunk stores it anew; sizes are refreshed after this time.
_SIZES_LAST_S = 60.0
_STAT_MEMORY = 65_536
_STAT_BLOCK = 4_096  # chunks in one request
_REMEMBERED = 4

Value = TypeVar("Value")


class Format(StrEnum):
    """Packing of an image's bytes."""

    RAW = "raw"
    RAW_ZST = "raw.zst"
    QCOW2 = "qcow2"
    OCI = "oci.tar"


# The command makes an OCI archive, of layers.
DownloadFormat = Literal[Format.RAW, Format.RAW_ZST, Format.QCOW2]


ChunkReplaced = PatinaError.of("chunk_replaced", "The store changed meanwhile", status=409)


class Content(Protocol):
    """The bytes of one image in one format."""

    @property
    def size_bytes(self) -> int: ...

    @property
    def version(self) -> str:
        """Returns a version that differs for other bytes of the same index and format."""
        ...

    def read(self, start: int, index: Index, chunks: ChunkReader) -> Iterator[bytes]:
        """Yields the bytes from `start` on."""
        ...


class _ImageReader:
    """Reads stretches of the image's bytes, in ascending order."""

    def __init__(self, index: Index, chunks: ChunkReader, start: int) -> None:
        self._entries = index.entries(index.position_at(start))
        self._chunks = chunks
        self._entry = next(self._entries, None)

    def __call__(self, start: int, stop: int) -> Iterator[bytes]:
        while self._entry is not None and self._entry.offset_bytes < stop:
            entry = self._entry
            if entry.end_bytes > start:
                data = self._chunks.data(entry)
                yield data[max(start - entry.offset_bytes, 0) : stop - entry.offset_bytes]
            if entry.end_bytes > stop:
                return
            self._entry = next(self._entries, None)


def image_reader(index: Index, chunks: ChunkReader, start: int) -> Callable[[int, int], Iterator[bytes]]:
    """Returns a function that yields the image's bytes from one offset up to another, from `start` on and ascending."""
    return _ImageReader(index, chunks, start)


@dataclass(frozen=True)
class RawContent:
    size_bytes: int
    version: str = "1"

    def read(self, start: int, index: Index, chunks: ChunkReader) -> Iterator[bytes]:
        return _ImageReader(index, chunks, start)(start, self.size_bytes)


@dataclass(frozen=True)
class Qcow2Content:
    file: Qcow2
    version: str = str(WRITER_VERSION)

    @property
    def size_bytes(self) -> int:
        return self.file.size_bytes

    def read(self, start: int, index: Index, chunks: ChunkReader) -> Iterator[bytes]:
        return self.file.read(start, _LazyImageReader(index, chunks))


class _LazyImageReader:
    """An _ImageReader that begins at its first call's offset."""

    def __init__(self, index: Index, chunks: ChunkReader) -> None:
        self._index, self._chunks = index, chunks
        self._reader: _ImageReader | None = None

    def __call__(self, start: int, stop: int) -> Iterator[bytes]:
        if self._reader is None:
            self._reader = _ImageReader(self._index, self._chunks, start)
        return self._reader(start, stop)


@dataclass(frozen=True)
class ZstContent:
    """The stored chunks, in order: each is a zstd frame, and frames may be concatenated."""

    sizes: "array[int]"
    size_bytes: int
    version: str

    def read(self, start: int, index: Index, chunks: ChunkReader) -> Iterator[bytes]:
        position, first = 0, 0
        while first < len(self.sizes) and position + self.sizes[first] <= start:
            position += self.sizes[first]
            first += 1
        for size, entry in zip(islice(self.sizes, first, None), index.entries(first), strict=True):
            stored = chunks.stored(entry)
            if stored.size_bytes != size:
                _sizes.forget(index.facts.digest)
                raise ChunkReplaced(
                    f"The chunk {entry.digest.hex()} was stored anew meanwhile, by a capture. Download again."
                )
            yield stored.data[max(start - position, 0) :]
            position += size


class _Remembered(Generic[Value]):
    """Caches the most recently used values; making one reads the whole index."""

    def __init__(self, lasts_s: float) -> None:
        self._lasts_s = lasts_s
        self._values: OrderedDict[Hashable, tuple[float, Value]] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Returns the value, made once for all concurrent callers."""
        known = self._known(key)
        if known is not None:
            return known
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            known = self._known(key)
            if known is not None:
                return known
            now, value = time.monotonic(), make()
            with self._lock:
                self._values[key] = (now, value)
                self._making.pop(key, None)
                while len(self._values) > _REMEMBERED:
                    self._values.popitem(last=False)
        return value

    def _known(self, key: Hashable) -> Value | None:
        with self._lock:
            made_at, value = self._values.get(key, (None, None))
            if made_at is None or value is None or time.monotonic() - made_at >= self._lasts_s:
                return None
            self._values.move_to_end(key)
            return value

    def forget(self, key: Hashable) -> None:
        with self._lock:
            self._values.pop(key, None)


_files: _Remembered[Qcow2] = _Remembered(float("inf"))
_sizes: _Remembered[ZstContent] = _Remembered(_SIZES_LAST_S)


@lru_cache(maxsize=16)
def _zero_digest(length_bytes: int) -> bytes:
    return hashlib.sha256(bytes(length_bytes)).digest()


def _qcow2(index: Index) -> Qcow2:
    facts = index.facts
    clusters = ClusterMap(facts.image_bytes)
    for entry in index.entries():
        if not _is_zero(entry, index):
            clusters.add(entry.offset_bytes, entry.end_bytes)
    return Qcow2(clusters)


def _is_zero(entry: Entry, index: Index) -> bool:
    """Returns whether the digest is that of zeroes. Chunks of zeroes have the full length, except the last."""
    is_usual = entry.length_bytes == index.facts.max_chunk_bytes or entry.end_bytes == index.facts.image_bytes
    return is_usual and entry.digest == _zero_digest(entry.length_bytes)


def _zst(index: Index, store: ChunkStore) -> ZstContent:
    sizes = array("I")  # a chunk is never longer than MAX_CHUNK_BYTES
    fingerprint = hashlib.sha256()
    found: dict[bytes, tuple[int, int]] = {}
    entries = index.entries()
    while block := [entry.digest for entry in islice(entries, _STAT_BLOCK)]:
        if len(found) >= _STAT_MEMORY:
            found.clear()
        found |= store.stats(set(block) - found.keys())
        for digest in block:
            size, mark = found[digest]
            sizes.append(size)
            fingerprint.update(struct.pack("<QQ", size, mark & (2**64 - 1)))
    return ZstContent(sizes, sum(sizes), fingerprint.hexdigest()[:16])


def content_of(image_format: DownloadFormat, index: Index, store: ChunkStore) -> Content:
    """Returns the content of a download in this format. Reads the whole index the first time."""
    key = index.facts.digest
    if image_format is Format.RAW:
        return RawContent(index.facts.image_bytes)
    if image_format is Format.QCOW2:
        return Qcow2Content(_files.get(key, lambda: _qcow2(index)))
    return _sizes.get(key, lambda: _zst(index, store))
