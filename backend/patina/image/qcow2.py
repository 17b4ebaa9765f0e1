"""qcow2, written as a stream: the clusters with data determine the offset of every byte of the file.

Version 3, clusters of 64 KiB, 16-bit refcounts. The file is: header, refcount table, refcount blocks, L1 table, L2
tables, then the image's clusters in order. Zero clusters are left out. See QEMU's docs/interop/qcow2.
"""

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

CLUSTER_BITS = 16
CLUSTER_BYTES = 1 << CLUSTER_BITS
SECTOR_BYTES = 512
REFCOUNT_ORDER = 4  # 16 bits
REFCOUNTS_A_BLOCK = CLUSTER_BYTES // 2
WORDS_A_CLUSTER = CLUSTER_BYTES // 8  # entries of the L1, L2 and refcount tables
HEADER_LENGTH = 104
COPIED = 1 << 63  # flag of clusters with a refcount of one: all of ours
# Part of the ETag: another order of the same bytes makes another file.
WRITER_VERSION = 1

_EMPTY_CLUSTER = bytes(CLUSTER_BYTES)


class ImageBytes(Protocol):
    """Reads a range of the image."""

    def __call__(self, start: int, stop: int) -> Iterator[bytes]: ...


def _clusters(count: int, a_cluster: int) -> int:
    return -(-count // a_cluster)


class ClusterMap:
    """The image's clusters with data: a byte each, kept only for L2 tables that have any."""

    def __init__(self, image_bytes: int) -> None:
        self.image_bytes = image_bytes
        self.clusters_count = _clusters(image_bytes, CLUSTER_BYTES)
        self.tables_count = _clusters(self.clusters_count, WORDS_A_CLUSTER)
        self.tables: dict[int, bytearray] = {}

    def add(self, start: int, stop: int) -> None:
        """Marks the image's bytes from `start` to `stop`, which must be greater, as data."""
        first, last = start // CLUSTER_BYTES, (stop - 1) // CLUSTER_BYTES
        for number in range(first // WORDS_A_CLUSTER, last // WORDS_A_CLUSTER + 1):
            table = self.tables.setdefault(number, bytearray(WORDS_A_CLUSTER))
            low = max(first - number * WORDS_A_CLUSTER, 0)
            high = min(last - number * WORDS_A_CLUSTER, WORDS_A_CLUSTER - 1) + 1
            table[low:high] = b"\1" * (high - low)


@dataclass(frozen=True)
class _Places:
    """First cluster of each part of the file."""

    refcount_table: int
    refcount_blocks: int
    l1: int
    l2: int
    data: int
    end: int


def _places(l1_clusters: int, l2_clusters: int, data_clusters: int) -> _Places:
    """Computes the places. The refcount blocks count themselves: grows them until they cover the file."""
    table_clusters = blocks = 1
    while True:
        end = 1 + table_clusters + blocks + l1_clusters + l2_clusters + data_clusters
        needed = _clusters(end, REFCOUNTS_A_BLOCK), _clusters(_clusters(end, REFCOUNTS_A_BLOCK), WORDS_A_CLUSTER)
        if needed == (blocks, table_clusters):
            break
        blocks, table_clusters = needed
    refcount_blocks = 1 + table_clusters
    l1 = refcount_blocks + blocks
    return _Places(1, refcount_blocks, l1, l1 + l1_clusters, l1 + l1_clusters + l2_clusters, end)


class Qcow2:
    """The file of a cluster map. Immutable; thread-safe."""

    def __init__(self, clusters: ClusterMap) -> None:
        self._tables = sorted(clusters.tables.items())
        self._image_bytes = clusters.image_bytes
        self._l1_entries = clusters.tables_count
        counts = [table.count(1) for _, table in self._tables]
        # The number of data clusters before those of each L2 table, and the total.
        self._before = list(accumulate(counts, initial=0))
        l1_clusters = max(1, _clusters(self._l1_entries, WORDS_A_CLUSTER))
        self._at = _places(l1_clusters, len(self._tables), self._before[-1])
        self.size_bytes = self._at.end * CLUSTER_BYTES

    def read(self, start: int, image: ImageBytes) -> Iterator[bytes]:
        """Yields the file's bytes from `start` on; reads the image's from `image`."""
        first, skip = divmod(start, CLUSTER_BYTES)
        for number in range(first, min(self._at.data, self._at.end)):
            yield self._metadata(number)[skip:]
            skip = 0
        for begin, end in self._data_runs(max(first - self._at.data, 0)):
            # The last cluster of an image may extend beyond its end.
            yield from image(begin + skip, min(end, self._image_bytes))
            if end > self._image_bytes:
                yield bytes(end - max(self._image_bytes, begin + skip))
            skip = 0

    def _data_runs(self, rank: int) -> Iterator[tuple[int, int]]:
        """Yields stretches of data, in whole clusters, from the image's data cluster number `rank` on."""
        for slot in range(bisect_right(self._before, rank) - 1, len(self._tables)):
            number, table = self._tables[slot]
            base = number * WORDS_A_CLUSTER
            at = -1
            for _ in range(max(rank - self._before[slot], 0) + 1):
                at = table.find(1, at + 1)
            while at >= 0:
                end = table.find(0, at)
                end = end if end >= 0 else WORDS_A_CLUSTER
                yield (base + at) * CLUSTER_BYTES, (base + end) * CLUSTER_BYTES
                at = table.find(1, end)

    def _metadata(self, number: int) -> bytes:
        at = self._at
        if number == 0:
            return self._header()
        if number < at.refcount_blocks:
            return _words(number - at.refcount_table, range(at.refcount_blocks, at.l1))
        if number < at.l1:
            return self._refcount_block(number - at.refcount_blocks)
        if number < at.l2:
            return self._l1_cluster(number - at.l1)
        return self._l2_cluster(number - at.l2)

    def _header(self) -> bytes:
        fields = struct.pack(
            ">4sIQIIQIIQQIIQQQQII",
            b"QFI\xfb",
            3,
            0,  # no backing file
            0,
            CLUSTER_BITS,
            _clusters(self._image_bytes, SECTOR_BYTES) * SECTOR_BYTES,
            0,  # not encrypted
            self._l1_entries,
            self._at.l1 * CLUSTER_BYTES,
            self._at.refcount_table * CLUSTER_BYTES,
            self._at.refcount_blocks - self._at.refcount_table,
            0,  # no snapshots
            0,
            0,  # incompatible, compatible and autoclear features: none
            0,
            0,
            REFCOUNT_ORDER,
            HEADER_LENGTH,
        )
        return fields.ljust(CLUSTER_BYTES, b"\0")  # zeroes also end the list of header extensions

    def _refcount_block(self, number: int) -> bytes:
        used = min(self._at.end - number * REFCOUNTS_A_BLOCK, REFCOUNTS_A_BLOCK)
        return (b"\0\1" * used).ljust(CLUSTER_BYTES, b"\0")

    def _l1_cluster(self, number: int) -> bytes:
        first = number * WORDS_A_CLUSTER
        words = [0] * WORDS_A_CLUSTER
        for slot, (table, _) in enumerate(self._tables):
            if first <= table < first + WORDS_A_CLUSTER:
                words[table - first] = (self._at.l2 + slot) * CLUSTER_BYTES | COPIED
        return struct.pack(f">{WORDS_A_CLUSTER}Q", *words)

    def _l2_cluster(self, slot: int) -> bytes:
        _, table = self._tables[slot]
        place = (self._at.data + self._before[slot]) * CLUSTER_BYTES
        words = [0] * WORDS_A_CLUSTER
        for cluster, is_data in enumerate(table):
            if is_data:
                words[cluster] = place | COPIED
                place += CLUSTER_BYTES
        return struct.pack(f">{WORDS_A_CLUSTER}Q", *words)


def _words(cluster: int, places: range) -> bytes:
    """Returns one cluster of a table whose entries are consecutive clusters of the file."""
    part = places[cluster * WORDS_A_CLUSTER : (cluster + 1) * WORDS_A_CLUSTER]
    return struct.pack(f">{len(part)}Q", *(place * CLUSTER_BYTES for place in part)).ljust(CLUSTER_BYTES, b"\0")
