"""The chunk store, read: a chunk leaves here only after its bytes have been checked against its name."""

import hashlib
import os
import re
import stat
from pathlib import Path

import zstandard

from patina.errors import NotFound, PatinaError
from patina.image.index import MAX_CHUNK_BYTES, Entry

_NAME = re.compile(r"([0-9a-f]{4})/(\1[0-9a-f]{60})\.cacnk")
# A window larger than any chunk is a frame that only wants our memory.
_MAX_WINDOW_BYTES = 32 * 2**20


class ChunkUnknown(NotFound):
    code = "chunk_unknown"
    title = "Chunk unknown"


class ChunkMissing(PatinaError):
    code = "chunk_missing"
    title = "Chunk missing"


class ChunkCorrupt(PatinaError):
    code = "chunk_corrupt"
    title = "Chunk corrupt"


def relative_path(digest: bytes) -> str:
    """Where a store keeps the chunk."""
    name = digest.hex()
    return f"{name[:4]}/{name}.cacnk"


def _max_stored_bytes(length_bytes: int) -> int:
    """More than any compressor makes of incompressible bytes."""
    return length_bytes + length_bytes // 128 + 64 * 2**10


def not_a_chunk(path: str) -> ChunkUnknown:
    """What to say of a path that no chunk can have."""
    return ChunkUnknown(f"{path!r} is not a chunk's name; that is abcd/<64 hex digits>.cacnk, in lower case.")


class StoredChunk:
    """A chunk's file as it was read."""

    def __init__(self, data: bytes, file: os.stat_result) -> None:
        self.data = data
        self.size_bytes = file.st_size
        self.modified_ns = file.st_mtime_ns


class ChunkStore:
    """A store's folder; safe to read from several threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def published(self, path: str) -> StoredChunk:
        """The file that the store has at `path`, as it lies there; ChunkUnknown for anything that is no chunk's."""
        match = _NAME.fullmatch(path)
        if match is None:
            raise not_a_chunk(path)
        try:
            return self._load(path, _max_stored_bytes(MAX_CHUNK_BYTES))
        except FileNotFoundError as error:
            raise ChunkUnknown(f"The store has no chunk {match[2]}.") from error

    def stat(self, digest: bytes) -> tuple[int, int]:
        """Stored bytes of a chunk and when it was written, or ChunkMissing."""
        path = relative_path(digest)
        try:
            file = (self.folder / path).lstat()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise self._missing(digest) from error
        if not stat.S_ISREG(file.st_mode) or not 0 < file.st_size <= _max_stored_bytes(MAX_CHUNK_BYTES):
            raise self._corrupt(digest, f"its {file.st_size} bytes are not a chunk's")
        return file.st_size, file.st_mtime_ns

    def stored(self, entry: Entry) -> StoredChunk:
        """The entry's chunk as it is stored; ChunkMissing or ChunkCorrupt."""
        try:
            return self._load(relative_path(entry.digest), _max_stored_bytes(entry.length_bytes))
        except FileNotFoundError as error:
            raise self._missing(entry.digest) from error

    def unpacked(self, entry: Entry, stored: StoredChunk, unpacker: zstandard.ZstdDecompressor) -> bytes:
        """The chunk's bytes: one zstd frame of exactly the entry's length and digest, or ChunkCorrupt."""
        try:
            content_bytes = zstandard.frame_content_size(stored.data)
            if content_bytes not in (-1, entry.length_bytes):  # -1: the frame does not say
                raise self._corrupt(entry.digest, f"it holds {content_bytes} bytes instead of {entry.length_bytes}")
            data = unpacker.decompress(stored.data, max_output_size=entry.length_bytes, allow_extra_data=False)
        except zstandard.ZstdError as error:
            raise self._corrupt(entry.digest, str(error)) from error
        if len(data) != entry.length_bytes or hashlib.sha256(data).digest() != entry.digest:
            raise self._corrupt(entry.digest, "its bytes are not those of its name")
        return data

    def _load(self, path: str, max_bytes: int) -> StoredChunk:
        """The whole file: a name may get another file, or the file another name, while it is read."""
        where = f"{path} in the store {self.folder}"
        # O_NOFOLLOW and O_NONBLOCK: nothing but a file that lies here, and no waiting for a FIFO's writer.
        try:
            fd = os.open(self.folder / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise FileNotFoundError(path) from error
        except OSError as error:
            raise ChunkCorrupt(f"{where} cannot be opened: {error.strerror}.") from error
        try:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode) or not 0 < found.st_size <= max_bytes:
                raise ChunkCorrupt(f"{where} has {found.st_size} bytes: not a chunk.")
            data = os.pread(fd, found.st_size + 1, 0)
        except OSError as error:
            raise ChunkCorrupt(f"{where} cannot be read: {error.strerror}.") from error
        finally:
            os.close(fd)
        if len(data) != found.st_size:
            raise ChunkCorrupt(f"{where} changed while it was read.")
        return StoredChunk(data, found)

    def _missing(self, digest: bytes) -> ChunkMissing:
        return ChunkMissing(
            f"The store {self.folder} lacks the chunk {digest.hex()}. "
            "Capturing a device that holds it again brings it back."
        )

    def _corrupt(self, digest: bytes, reason: str) -> ChunkCorrupt:
        return ChunkCorrupt(
            f"The chunk {digest.hex()} in the store {self.folder} is damaged: {reason}. "
            "Capturing a device that holds it again heals it."
        )


class ChunkReader:
    """Reads chunks one after the other, each checked; a run of one chunk, such as zeroes, is read once."""

    def __init__(self, store: ChunkStore) -> None:
        self._store = store
        self._unpacker = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES)
        self._last: tuple[bytes, int] | None = None
        self._stored: StoredChunk
        self._data: bytes

    def data(self, entry: Entry) -> bytes:
        """The chunk's bytes."""
        self._read(entry)
        return self._data

    def stored(self, entry: Entry) -> StoredChunk:
        """The chunk as it is stored, after its bytes have been checked."""
        self._read(entry)
        return self._stored

    def _read(self, entry: Entry) -> None:
        wanted = (entry.digest, entry.length_bytes)
        if self._last == wanted:
            return
        self._last = None
        self._stored = self._store.stored(entry)
        self._data = self._store.unpacked(entry, self._stored, self._unpacker)
        self._last = wanted
