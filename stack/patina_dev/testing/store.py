"""Makes chunk stores and indexes for tests, also invalid ones that no capture would make."""

import hashlib
import struct
from collections.abc import Iterable
from pathlib import Path

import zstandard

CHUNK_BYTES = 256 * 2**10
FLAGS = 0x9000000000000000


def write_chunk(store: Path, data: bytes, packed: bytes | None = None) -> bytes:
    """Stores `data`, or `packed` under the name of `data`. Returns the digest."""
    digest = hashlib.sha256(data).digest()
    path = store / digest.hex()[:4] / f"{digest.hex()}.cacnk"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zstandard.compress(data, 1) if packed is None else packed)
    return digest


def index_bytes(entries: Iterable[tuple[int, bytes]], chunk_bytes: int = CHUNK_BYTES) -> bytes:
    """Returns a .caibx of chunks by length and digest."""
    end, table = 0, bytearray()
    for length, digest in entries:
        end += length
        table += struct.pack("<Q32s", end, digest)
    head = struct.pack("<8Q", 48, 0x96824D9C7B129FF9, FLAGS, *[chunk_bytes] * 3, 2**64 - 1, 0xE75B9E112F17417D)
    tail = struct.pack("<5Q", 0, 0, 48, 16 + len(table) + 40, 0x4B4F050E5549ECD1)
    return head + table + tail
