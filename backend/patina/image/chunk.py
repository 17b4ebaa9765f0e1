"""A stored chunk: its name, its limits, its check. Needs neither a store nor a bucket."""

import hashlib
import re
from collections.abc import Callable, Iterator

import zstandard

from patina.image.index import MAX_CHUNK_BYTES

_NAME = re.compile(r"([0-9a-f]{4})/(\1[0-9a-f]{60})\.cacnk")
# A frame with a window larger than any chunk would only waste memory.
_MAX_WINDOW_BYTES = 32 * 2**20
_FEED_BYTES = 2**11  # four bytes of zstd may unpack to 128 KiB, and the output of one feed is in memory


class WrongChunk(ValueError):
    """The bytes are not those of the chunk. The message is the reason."""


def relative_path(digest: bytes) -> str:
    """Returns the path of the chunk in a store."""
    name = digest.hex()
    return f"{name[:4]}/{name}.cacnk"


def chunk_of_path(path: str) -> bytes | None:
    """Returns the digest of the chunk at a store's `path`; None if the path is not a chunk's."""
    match = _NAME.fullmatch(path)
    return None if match is None else bytes.fromhex(match[2])


def max_stored_bytes(length_bytes: int) -> int:
    """Returns an upper bound on the compressed size of incompressible bytes."""
    return length_bytes + length_bytes // 128 + 64 * 2**10


def new_unpacker() -> zstandard.ZstdDecompressor:
    """Returns a decompressor for one thread."""
    return zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES)


def unpack_chunk(stored: bytes, digest: bytes, max_bytes: int, unpacker: zstandard.ZstdDecompressor) -> bytes:
    """Returns the bytes of the chunk: one zstd frame of at most `max_bytes` with this digest. Raises WrongChunk."""
    try:
        content_bytes = zstandard.frame_content_size(stored)  # -1: unknown
        if content_bytes > max_bytes:
            raise WrongChunk(f"it holds {content_bytes} bytes, over {max_bytes}")
        data = unpacker.decompress(stored, max_output_size=max_bytes, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise WrongChunk(str(error)) from error
    if hashlib.sha256(data).digest() != digest:
        raise WrongChunk("its bytes are not those of its name")
    return data


def frames(read: Callable[[int, int], bytes], size_bytes: int) -> Iterator[tuple[int, bytes]]:
    """Yields chunks that are stored one after the other, each with the offset of its end. `read` returns the bytes from
    an offset on. Raises WrongChunk at the first that is not a whole frame, or too long."""
    unpacker = new_unpacker()
    frame, parts, unpacked_bytes, end = unpacker.decompressobj(), [], 0, 0
    for offset in range(0, size_bytes, _FEED_BYTES):
        piece = read(offset, min(_FEED_BYTES, size_bytes - offset))
        fed_to = offset + len(piece)
        while piece:
            try:
                parts.append(frame.decompress(piece))
            except zstandard.ZstdError as error:
                raise WrongChunk(f"after byte {end}: {error}") from error
            unpacked_bytes += len(parts[-1])
            if unpacked_bytes > MAX_CHUNK_BYTES:
                raise WrongChunk(f"after byte {end}: over {MAX_CHUNK_BYTES} bytes")
            if not frame.eof:
                break
            piece = frame.unused_data
            end = fed_to - len(piece)
            yield end, b"".join(parts)
            frame, parts, unpacked_bytes = unpacker.decompressobj(), [], 0
    if end != size_bytes:
        raise WrongChunk(f"after byte {end}: it ends in the middle")
