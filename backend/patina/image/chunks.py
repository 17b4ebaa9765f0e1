"""Reads the chunk store: every chunk is checked against its name before it is returned."""

import os
import stat
from collections.abc import Collection
from pathlib import Path

import zstandard

from patina.bucket.client import CHUNKS, Bucket, BucketObject
from patina.bucket.refusal import BucketObjectTooLong
from patina.errors import NotFound, PatinaError
from patina.image.chunk import (
    WrongChunk,
    chunk_of_path,
    max_stored_bytes,
    new_unpacker,
    relative_path,
    unpack_chunk,
)
from patina.image.index import MAX_CHUNK_BYTES, Entry

ChunkUnknown = NotFound.of("chunk_unknown", "Chunk unknown")
ChunkMissing = PatinaError.of("chunk_missing", "A chunk of this image is missing")
ChunkCorrupt = PatinaError.of("chunk_corrupt", "A chunk of this image is damaged")


def bucket_path(digest: bytes) -> str:
    """Returns the path of the chunk in a bucket."""
    return f"{CHUNKS}/{relative_path(digest)}"


def not_a_chunk(path: str) -> PatinaError:
    """Returns the error for a path that no chunk can have."""
    return ChunkUnknown(f"{path!r} is not a chunk's name; that is abcd/<64 hex digits>.cacnk, in lower case.")


class StoredChunk:
    """A chunk as stored, compressed."""

    def __init__(self, data: bytes, *, mark: int, is_of_bucket: bool) -> None:
        self.data = data
        self.size_bytes = len(data)
        self.mark = mark  # changes when the chunk is stored anew
        self.is_of_bucket = is_of_bucket


class ChunkStore:
    """A store's folder, backed by the bucket for chunks that the folder lacks. Thread-safe for readers."""

    def __init__(self, folder: Path, bucket: Bucket | None = None) -> None:
        self.folder = folder
        self._bucket = bucket

    def published(self, path: str) -> StoredChunk:
        """Returns the stored chunk at `path`. Raises ChunkUnknown if there is none, or the path is not a chunk's."""
        digest = chunk_of_path(path)
        if digest is None:
            raise not_a_chunk(path)
        stored = self._load(digest, MAX_CHUNK_BYTES)
        if stored is None:
            raise ChunkUnknown(f"The store has no chunk {digest.hex()}.")
        if stored.is_of_bucket:  # clients of the folder check chunks themselves; a bucket's content is untrusted
            self._unpack(digest, stored, MAX_CHUNK_BYTES, new_unpacker())
        return stored

    def stat(self, digest: bytes) -> tuple[int, int]:
        """Returns a chunk's stored bytes and mark. Raises ChunkMissing."""
        return self.stats([digest])[digest]

    def stats(self, digests: Collection[bytes]) -> dict[bytes, tuple[int, int]]:
        """As `stat`, for many chunks: one batch of requests to the bucket for all that the folder lacks."""
        known = self.known(digests)
        for digest in digests:
            if digest not in known:
                raise self._missing(digest)
        return known

    def known(self, digests: Collection[bytes]) -> dict[bytes, tuple[int, int]]:
        """Returns stored bytes and mark of the existing chunks among these."""
        known = {digest: file for digest in digests if (file := self._stat_file(digest)) is not None}
        away = [digest for digest in digests if digest not in known]
        if self._bucket is not None and away:
            objects = self._bucket.look_at_all(map(bucket_path, away))
            for digest, found in zip(away, objects, strict=True):
                if found is not None:
                    known[digest] = self._stat_object(digest, found)
        return known

    def missing(self, digests: Collection[bytes]) -> list[bytes]:
        """Returns the chunks among these that neither the folder nor the bucket has; their content is not checked."""
        away = [digest for digest in digests if not self.holds_file(digest)]
        if self._bucket is None or not away:
            return away
        objects = self._bucket.look_at_all(map(bucket_path, away))
        return [digest for digest, found in zip(away, objects, strict=True) if found is None]

    def holds_file(self, digest: bytes) -> bool:
        """Returns whether the folder has a non-empty file of that name; its content is not checked."""
        path = self.folder / relative_path(digest)
        return path.is_file() and path.stat().st_size > 0

    def of_bucket(self, entry: Entry) -> StoredChunk:
        """Returns the bucket's copy, checked, even if the folder has the chunk."""
        stored = self._load_object(entry.digest, max_stored_bytes(entry.length_bytes))
        if stored is None:
            raise self._missing(entry.digest)
        self.unpacked(entry, stored, new_unpacker())
        return stored

    def _stat_file(self, digest: bytes) -> tuple[int, int] | None:
        try:
            file = (self.folder / relative_path(digest)).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        if not stat.S_ISREG(file.st_mode) or not 0 < file.st_size <= max_stored_bytes(MAX_CHUNK_BYTES):
            raise self._corrupt(digest, f"its {file.st_size} bytes are not a chunk's", is_of_bucket=False)
        return file.st_size, file.st_mtime_ns

    def _stat_object(self, digest: bytes, found: BucketObject) -> tuple[int, int]:
        if not 0 < found.size_bytes <= max_stored_bytes(MAX_CHUNK_BYTES):
            raise self._corrupt(digest, f"its {found.size_bytes} bytes are not a chunk's", is_of_bucket=True)
        return found.size_bytes, found.mark

    def stored(self, entry: Entry) -> StoredChunk:
        """Returns the entry's chunk as stored. Raises ChunkMissing or ChunkCorrupt."""
        stored = self._load(entry.digest, entry.length_bytes)
        if stored is None:
            raise self._missing(entry.digest)
        return stored

    def unpacked(self, entry: Entry, stored: StoredChunk, unpacker: zstandard.ZstdDecompressor) -> bytes:
        """Returns the chunk's bytes: one zstd frame of exactly the entry's length and digest. Raises ChunkCorrupt."""
        data = self._unpack(entry.digest, stored, entry.length_bytes, unpacker)
        if len(data) != entry.length_bytes:
            reason = f"it holds {len(data)} bytes instead of {entry.length_bytes}"
            raise self._corrupt(entry.digest, reason, is_of_bucket=stored.is_of_bucket)
        return data

    def _unpack(
        self, digest: bytes, stored: StoredChunk, max_bytes: int, unpacker: zstandard.ZstdDecompressor
    ) -> bytes:
        try:
            return unpack_chunk(stored.data, digest, max_bytes, unpacker)
        except WrongChunk as wrong:
            raise self._corrupt(digest, str(wrong), is_of_bucket=stored.is_of_bucket) from wrong

    def _load(self, digest: bytes, length_bytes: int) -> StoredChunk | None:
        try:
            return self._load_file(relative_path(digest), max_stored_bytes(length_bytes))
        except FileNotFoundError:
            return self._load_object(digest, max_stored_bytes(length_bytes))

    def _load_object(self, digest: bytes, max_bytes: int) -> StoredChunk | None:
        try:
            answer = None if self._bucket is None else self._bucket.get(bucket_path(digest), max_bytes=max_bytes)
        except BucketObjectTooLong as error:
            raise self._corrupt(digest, error.message.rstrip("."), is_of_bucket=True) from error
        return None if answer is None else StoredChunk(answer[1], mark=answer[0].mark, is_of_bucket=True)

    def _load_file(self, path: str, max_bytes: int) -> StoredChunk:
        """Reads the whole file: its name or content may change during the read."""
        where = f"{path} in the store {self.folder}"
        # O_NOFOLLOW and O_NONBLOCK: only regular files of this folder, without blocking on a FIFO.
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
        return StoredChunk(data, mark=found.st_mtime_ns, is_of_bucket=False)

    def _missing(self, digest: bytes) -> PatinaError:
        beside = "" if self._bucket is None else f", and so does the bucket {self._bucket.name}"
        return ChunkMissing(
            f"The store {self.folder} lacks the chunk {digest.hex()}{beside}. "
            "Capturing a device that holds it again brings it back."
        )

    def _corrupt(self, digest: bytes, reason: str, *, is_of_bucket: bool) -> PatinaError:
        if is_of_bucket and self._bucket is not None:
            return ChunkCorrupt(
                f"The chunk {digest.hex()} in the bucket {self._bucket.name} is damaged: {reason}. "
                "Delete it there; capturing a device that holds it then sends it again."
            )
        return ChunkCorrupt(
            f"The chunk {digest.hex()} in the store {self.folder} is damaged: {reason}. "
            "Capturing a device that holds it again repairs it."
        )


class ChunkReader:
    """Reads chunks in sequence, each checked; a repeated chunk, such as zeroes, is read once."""

    def __init__(self, store: ChunkStore) -> None:
        self._store = store
        self._unpacker = new_unpacker()
        self._last: tuple[bytes, int] | None = None
        self._stored: StoredChunk
        self._data: bytes

    def data(self, entry: Entry) -> bytes:
        """Returns the chunk's bytes."""
        self._read(entry)
        return self._data

    def stored(self, entry: Entry) -> StoredChunk:
        """Returns the chunk as stored, after a check of its bytes."""
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
