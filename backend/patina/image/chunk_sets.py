"""Sets of chunks: what images have alone, and what they share with others."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.image.download import chunk_store, open_index
from patina.image.models import Image
from patina.image.place import is_elsewhere


@dataclass(frozen=True)
class ChunkSets:
    """Digests of the chunks of some images."""

    own: set[bytes]  # that no other image has
    shared: set[bytes]


def chunk_sets(*, session: Session, images: Iterable[Image]) -> ChunkSets:
    """Returns the chunks of these images, by the indexes of all others. Reads every index: takes seconds."""
    ids, digests = [], set[bytes]()
    for image in images:
        ids.append(image.id)
        digests.update(_digests(image))
    shared: set[bytes] = set()
    for other in session.scalars(select(Image).where(Image.id.not_in(ids), Image.deleted_at.is_(None))):
        if not is_elsewhere(other):  # chunks only in another store keep none here
            shared |= digests.intersection(_digests(other))
    return ChunkSets(own=digests - shared, shared=shared)


def stored_bytes(digests: set[bytes]) -> int:
    """Returns the compressed bytes of the chunks of these digests that are in the store or the bucket."""
    return sum(size_bytes for size_bytes, _ in chunk_store().known(digests).values())


def _digests(image: Image) -> Iterator[bytes]:
    with open_index(image.index_name, image.index_digest) as index:
        for entry in index.entries():
            yield entry.digest
