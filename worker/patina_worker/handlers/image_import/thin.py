"""Unpacks a thin archive into a raw, sparse file: of the image's chunks the archive has those that this server lacked
when it was asked; the others are in its store."""

import hashlib
import os
from collections.abc import Callable, Iterator
from functools import partial

from patina.bucket.client import bucket
from patina.figures import exactly_bytes
from patina.image.chunk import WrongChunk, frames
from patina.image.chunks import ChunkCorrupt, ChunkMissing, ChunkReader, ChunkStore
from patina.image.index import Entry, Index, IndexInvalid
from patina.image_import.file_format import FileDamaged
from patina.image_import.sparse import write_sparse
from patina.settings import settings
from patina_worker.handlers.image_import.archive import Archive, Blob, check_digest
from patina_worker.handlers.image_import.unpack import PIECE_BYTES, Packed
from patina_worker.host import scratch

_AGAIN = "Push the image again."


class _IndexPart:
    """The index in the archive, as a source of an Index."""

    name = "The index in the archive"
    is_regular = True

    def __init__(self, descriptor: int, blob: Blob) -> None:
        self.size_bytes = blob.size_bytes
        self.identity = object()  # the account of the API can change the file: nothing is remembered of it
        self.read = partial(_read, descriptor, blob)

    def close(self) -> None:
        """Does nothing: the file stays open for the other blobs."""


class _Chunks:
    """The chunks of the image, for its entries in order. The archive has those that it brings in the same order, each
    once."""

    def __init__(self, packed: Packed, blobs: list[Blob], target: int) -> None:
        self._sent = _sent(packed.descriptor, blobs)
        self._target = target
        self._places: dict[bytes, int] = {}  # of the chunks that the archive has brought
        self._store = ChunkReader(ChunkStore(settings().store_dir, bucket()))
        self._advance()

    def _advance(self) -> None:
        self._next = next(self._sent, b"")
        self.next_digest = hashlib.sha256(self._next).digest() if self._next else None

    def data(self, entry: Entry) -> bytes:
        """Returns the bytes of the entry's chunk, checked. Raises ChunkMissing, ChunkCorrupt or FileDamaged."""
        if entry.digest == self.next_digest and len(self._next) == entry.length_bytes:
            data = self._next
            self._places[entry.digest] = entry.offset_bytes
            self._advance()
            return data
        place = self._places.get(entry.digest)
        if place is not None:
            return os.pread(self._target, entry.length_bytes, place)
        try:
            return self._store.data(entry)
        except ChunkMissing as error:
            raise ChunkMissing(
                f"The store of this server lacks the chunk {entry.digest.hex()} of the image, and the archive does not "
                "bring it: it was removed after the archive was made. Push the image again, which sends it."
            ) from error
        except ChunkCorrupt as error:
            raise ChunkCorrupt(f"{error.message} So does a push with --whole, which sends it.") from error


def _sent(descriptor: int, blobs: list[Blob]) -> Iterator[bytes]:
    for number, blob in enumerate(blobs, start=1):
        try:
            for _, data in frames(partial(_read, descriptor, blob), blob.size_bytes):
                yield data
        except WrongChunk as wrong:
            raise FileDamaged(f"Layer {number} of the archive is not whole chunks: {wrong}. {_AGAIN}") from wrong


def _read(descriptor: int, blob: Blob, offset: int, length: int) -> bytes:
    return os.pread(descriptor, min(length, blob.size_bytes - offset), blob.offset + offset)


def unpack_thin(
    packed: Packed,
    archive: Archive,
    target: int,
    *,
    check: Callable[[], None],
    on_progress: Callable[[int, int], None],
) -> None:
    """Unpacks the image of a thin archive into the empty file `target`. Every chunk is checked. Raises FileDamaged,
    ChunkMissing, ChunkCorrupt, BucketRefusal or ScratchNoSpace."""
    assert archive.index is not None
    image_bytes = archive.manifest.size_bytes
    for number, blob in enumerate([archive.index, *archive.layers]):
        _check_blob(packed.descriptor, blob, f"layer {number}", check)
    try:
        with scratch.filling(), Index(_IndexPart(packed.descriptor, archive.index), archive.index.digest) as index:
            if index.facts.image_bytes != image_bytes:
                raise FileDamaged(
                    f"The index of the archive is of {exactly_bytes(index.facts.image_bytes)}, and its manifest "
                    f"names {exactly_bytes(image_bytes)}. {_AGAIN}"
                )
            os.ftruncate(target, image_bytes)  # a hole is read back where a chunk of zeroes comes again
            chunks, done_bytes = _Chunks(packed, archive.layers, target), 0
            for entry in index.entries():
                if entry.end_bytes >= done_bytes + PIECE_BYTES:
                    check()
                    done_bytes = entry.end_bytes
                    on_progress(done_bytes, image_bytes)
                write_sparse(target, chunks.data(entry), entry.offset_bytes)
    except IndexInvalid as error:
        raise FileDamaged(f"{error.message.partition(' Capture')[0]} {_AGAIN}") from error
    if chunks.next_digest is not None:
        raise FileDamaged(
            f"The archive brings the chunk {chunks.next_digest.hex()}, which its index does not name there. {_AGAIN}"
        )


def _check_blob(descriptor: int, blob: Blob, what: str, check: Callable[[], None]) -> None:
    sha = hashlib.sha256()
    for offset in range(0, blob.size_bytes, PIECE_BYTES):
        check()
        sha.update(_read(descriptor, blob, offset, PIECE_BYTES))
    check_digest(blob, sha.hexdigest(), what)
