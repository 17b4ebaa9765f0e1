"""Layers of an image, as OCI archives contain them: a range of the device's bytes, packed by zstd."""

from collections.abc import Generator

import zstandard

from patina.errors import NotFound
from patina.image.chunks import ChunkReader
from patina.image.content import image_reader
from patina.image.download import chunk_store, open_index
from patina.image.models import Image
from patina.image.oci import layer_bytes_of
from patina.image.place import require_here

# The level of the store.
LEVEL = 1

LayerUnknown = NotFound.of("layer_unknown", "No such layer")


def layers_count(image: Image) -> int:
    """Returns the number of the image's layers."""
    return -(-image.size_bytes // layer_bytes_of(image.size_bytes))


def layer(image: Image, number: int) -> Generator[bytes]:
    """Returns a layer in pieces: one frame for each chunk, packed anew, because equal chunks may be packed differently
    in two stores. Raises LayerUnknown, ImageElsewhere, IndexMissing or IndexInvalid; while read, ChunkMissing or
    ChunkCorrupt."""
    if not 0 <= number < layers_count(image):
        raise LayerUnknown(f"Image {image.name} has the layers 0 to {layers_count(image) - 1}, not {number}.")
    require_here(image)
    with open_index(image.index_name, image.index_digest):  # a refusal precedes the first piece
        pass
    length_bytes = layer_bytes_of(image.size_bytes)
    start = number * length_bytes
    return _frames(image.index_name, image.index_digest, start, min(start + length_bytes, image.size_bytes))


def _frames(index_name: str, index_digest: str, start: int, stop: int) -> Generator[bytes]:
    packer = zstandard.ZstdCompressor(level=LEVEL, write_content_size=True, write_checksum=False)
    last, frame = b"", b""
    with open_index(index_name, index_digest) as index:
        for data in image_reader(index, ChunkReader(chunk_store()), start)(start, stop):
            if data is not last:  # a repeated chunk, such as zeroes
                last, frame = data, packer.compress(data)
            yield frame
