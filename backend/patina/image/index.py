"""casync's .caibx, read as strictly as in the native core (native/src/store/index.cc).

The whole file is checked before any entry is used. Memory grows with the image only during
the check.
"""

import hashlib
import struct
import sys
import threading
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from operator import lt, sub
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from patina.errors import PatinaError
from patina.image.index_file import IndexFile, LocalIndexFile

HEADER_BYTES = 48
TABLE_HEAD_BYTES = 16
ENTRY_BYTES = 40
TAIL_BYTES = 40
FRAME_BYTES = HEADER_BYTES + TABLE_HEAD_BYTES + TAIL_BYTES
HEADER_TYPE = 0x96824D9C7B129FF9
TABLE_TYPE = 0xE75B9E112F17417D
TAIL_MARKER = 0x4B4F050E5549ECD1
TABLE_SIZE = 2**64 - 1  # size unknown: the table ends with its tail
FLAG_SHA512_256 = 0x2000000000000000
MAX_CHUNK_BYTES = 16 * 2**20
MAX_OFFSET = 2**63 - 1

_ENTRY = struct.Struct("<Q32s")
_BLOCK_ENTRIES = 4096
_WORDS_AN_ENTRY = ENTRY_BYTES // 8
_REMEMBERED = 256


IndexInvalid = PatinaError.of("index_invalid", "The image's index is damaged")


class Entry(NamedTuple):
    """A chunk's position in the image."""

    offset_bytes: int
    length_bytes: int
    digest: bytes

    @property
    def end_bytes(self) -> int:
        return self.offset_bytes + self.length_bytes


@dataclass(frozen=True)
class IndexFacts:
    """Results of a check of the whole file."""

    digest: str
    chunks_count: int
    max_chunk_bytes: int
    image_bytes: int


class Index:
    """An open, checked index. For one thread at a time."""

    def __init__(self, where: Path | IndexFile, expected_digest: str | None) -> None:
        self.name = where.name if not isinstance(where, Path) else str(where)
        try:
            self._file = LocalIndexFile(where) if isinstance(where, Path) else where
        except OSError as error:
            raise self._invalid(f"it cannot be opened ({error.strerror})") from error
        try:
            self.facts = self._facts(expected_digest)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Index":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def position_at(self, offset_bytes: int) -> int:
        """Returns the position of the entry with the image's byte at `offset_bytes`."""
        return bisect_right(range(self.facts.chunks_count), offset_bytes, key=self._end_of)

    def entries(self, first: int = 0) -> Iterator[Entry]:
        """Yields the entries from position `first` on, in the image's order."""
        offset = self._end_of(first - 1) if first else 0
        for position in range(first, self.facts.chunks_count, _BLOCK_ENTRIES):
            for end, digest in _ENTRY.iter_unpack(self._block(position, self.facts.chunks_count)):
                if not offset < end <= offset + self.facts.max_chunk_bytes:
                    raise self._invalid("it was changed while it was read")
                yield Entry(offset, end - offset, digest)
                offset = end

    def content(self) -> Iterator[bytes]:
        """Yields the index file's bytes, piece by piece."""
        step = _BLOCK_ENTRIES * ENTRY_BYTES
        for offset in range(0, self._file.size_bytes, step):
            yield self._read(offset, min(step, self._file.size_bytes - offset))

    @property
    def size_bytes(self) -> int:
        """Returns the size of the index file."""
        return self._file.size_bytes

    def _invalid(self, reason: str) -> PatinaError:
        return IndexInvalid(f"{self.name} is not the index of this image: {reason}. Capture the device again.")

    def _end_of(self, position: int) -> int:
        end, _ = _ENTRY.unpack(self._read(HEADER_BYTES + TABLE_HEAD_BYTES + position * ENTRY_BYTES, ENTRY_BYTES))
        return int(end)

    def _block(self, first: int, chunks_count: int) -> bytes:
        count = min(_BLOCK_ENTRIES, chunks_count - first)
        return self._read(HEADER_BYTES + TABLE_HEAD_BYTES + first * ENTRY_BYTES, count * ENTRY_BYTES)

    def _read(self, offset: int, length: int) -> bytes:
        try:
            data = self._file.read(offset, length)
        except OSError as error:
            raise self._invalid(f"it cannot be read ({error.strerror})") from error
        if len(data) != length:
            raise self._invalid("it cannot be read to its end")
        return data

    def _facts(self, expected_digest: str | None) -> IndexFacts:
        if not self._file.is_regular:
            raise self._invalid("not a regular file")
        facts = _checked.get(self._file.identity)
        if facts is None:
            facts = self._check(self._file.size_bytes)
            _checked.put(self._file.identity, facts)
        if expected_digest not in (None, facts.digest):
            raise self._invalid(f"its SHA-256 is {facts.digest}, not {expected_digest} as in the catalog")
        return facts

    def _check(self, file_bytes: int) -> IndexFacts:
        if file_bytes < FRAME_BYTES:
            raise self._invalid("truncated")
        # From the file's length, never from a number in the file, which may be hostile.
        chunks_count, rest = divmod(file_bytes - FRAME_BYTES, ENTRY_BYTES)
        if rest:
            raise self._invalid("truncated, or with something after its end")
        head = self._read(0, HEADER_BYTES + TABLE_HEAD_BYTES)
        tail = self._read(file_bytes - TAIL_BYTES, TAIL_BYTES)
        max_chunk_bytes = self._check_head(head)
        if struct.unpack("<5Q", tail) != (0, 0, HEADER_BYTES, file_bytes - HEADER_BYTES, TAIL_MARKER):
            raise self._invalid("wrong tail")
        sha = hashlib.sha256(head)
        image_bytes = 0
        for first in range(0, chunks_count, _BLOCK_ENTRIES):
            block = self._block(first, chunks_count)
            sha.update(block)
            image_bytes = self._check_block(block, first, image_bytes, max_chunk_bytes)
        sha.update(tail)
        return IndexFacts(sha.hexdigest(), chunks_count, max_chunk_bytes, image_bytes)

    def _check_head(self, head: bytes) -> int:
        """Checks the header. Returns the longest chunk that it allows."""
        size, kind, flags, minimum, average, maximum, table_size, table_type = struct.unpack("<8Q", head)
        if (size, kind) != (HEADER_BYTES, HEADER_TYPE):
            raise self._invalid("wrong header")
        if flags & FLAG_SHA512_256:
            raise self._invalid("its digests are SHA-512/256")
        if not 0 < minimum <= average <= maximum:
            raise self._invalid("wrong chunk sizes")
        if maximum > MAX_CHUNK_BYTES:
            raise self._invalid(f"its chunks of up to {maximum} bytes are over the limit of {MAX_CHUNK_BYTES}")
        if (table_size, table_type) != (TABLE_SIZE, TABLE_TYPE):
            raise self._invalid("wrong table header")
        return int(maximum)

    def _check_block(self, block: bytes, first: int, offset_bytes: int, max_chunk_bytes: int) -> int:
        """Checks a block. Returns the end of its last chunk. Vectorized: a large device has millions of entries."""
        words = array("Q", block)
        if sys.byteorder == "big":
            words.byteswap()
        ends = words[::_WORDS_AN_ENTRY]
        starts = array("Q", [offset_bytes])
        starts.extend(ends[:-1])
        if not all(map(lt, starts, ends)) or ends[-1] > MAX_OFFSET:
            raise self._invalid(f"an entry from {first} on does not end after the one before it")
        if max(map(sub, ends, starts)) > max_chunk_bytes:
            raise self._invalid(f"an entry from {first} on is longer than the longest chunk")
        return ends[-1]


class _Checked:
    """Cache of checked files, keyed by attributes that change with their content."""

    def __init__(self) -> None:
        self._facts: OrderedDict[Hashable, IndexFacts] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, identity: Hashable) -> IndexFacts | None:
        with self._lock:
            return self._facts.get(identity)

    def put(self, identity: Hashable, facts: IndexFacts) -> None:
        with self._lock:
            self._facts[identity] = facts
            while len(self._facts) > _REMEMBERED:
                self._facts.popitem(last=False)


_checked = _Checked()
