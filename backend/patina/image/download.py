"""A download: an image's bytes in one format under a file name, with an ETag, readable in any range."""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from patina.bucket.client import INDEXES, bucket
from patina.errors import NotFound
from patina.file_name import file_below
from patina.image.chunks import ChunkReader, ChunkStore
from patina.image.content import Content, DownloadFormat, Format, content_of
from patina.image.index import Index
from patina.image.index_file import BucketIndexFile
from patina.image.models import Image
from patina.image.place import require_here
from patina.settings import settings

MEDIA_TYPES: dict[DownloadFormat, str] = {
    Format.RAW: "application/octet-stream",
    Format.RAW_ZST: "application/zstd",
    Format.QCOW2: "application/x-qemu-disk",
}


IndexMissing = NotFound.of("index_missing", "The image's index is missing")
FormatUnknown = NotFound.of("format_unknown", "Format unknown")


@dataclass(frozen=True)
class Download:
    """Keeps no file open; thread-safe."""

    image_id: int
    format: DownloadFormat
    file_name: str
    etag: str
    content: Content
    index_name: str
    index_digest: str

    @property
    def size_bytes(self) -> int:
        return self.content.size_bytes

    @property
    def key(self) -> str:
        """Returns a key that is unique among downloads."""
        return f"{self.image_id} {self.etag}"

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.format]

    def read(self, start: int, stop: int) -> Generator[bytes]:
        """Yields the bytes from `start` up to `stop`; each chunk is checked."""
        left = stop - start
        if left <= 0:
            return
        with open_index(self.index_name, self.index_digest) as index:
            for piece in self.content.read(start, index, ChunkReader(chunk_store())):
                yield piece[:left]
                left -= len(piece)
                if left <= 0:
                    return


def chunk_store() -> ChunkStore:
    """Returns this installation's store."""
    return ChunkStore(settings().store_dir, bucket())


def format_named(name: str) -> DownloadFormat:
    """Returns the format. Raises FormatUnknown."""
    found = next((each for each in MEDIA_TYPES if each == name), None)
    if found is None:
        raise FormatUnknown(f"{name!r} is not a format of images. There are: {', '.join(MEDIA_TYPES)}.")
    return found


def index_path(image: Image) -> Path | None:
    """Returns the path of the image's index on this host; None if it is not here."""
    path = file_below(settings().index_dir, image.index_name)
    return path if path.is_file() else None


def open_index(name: str, digest: str | None) -> Index:
    """Opens the index, from this host's folder or else from the bucket. Raises IndexMissing or IndexInvalid."""
    path, remote = file_below(settings().index_dir, name), bucket()
    if path.is_file():
        return Index(path, digest)
    if remote is None:
        raise IndexMissing(f"The index {name} is not in {path.parent}. Is the state folder the one it was made in?")
    found = remote.look(f"{INDEXES}/{name}")
    if found is None:
        raise IndexMissing(
            f"The index {name} is neither in {path.parent} nor in the bucket {remote.name}. "
            "An image of before the bucket is on the host that captured it alone."
        )
    return Index(BucketIndexFile(remote, found), digest)


def open_download(*, image: Image, image_format: DownloadFormat) -> Download:
    """Opens the download. Raises ImageElsewhere, IndexMissing, IndexInvalid, ChunkMissing or ChunkCorrupt."""
    require_here(image)
    with open_index(image.index_name, image.index_digest) as index:
        content = content_of(image_format, index, chunk_store())
    return Download(
        image_id=image.id,
        format=image_format,
        file_name=f"{image.name}.{image_format}",
        etag=f'"{image.index_digest}-{image_format}-{content.version}"',
        content=content,
        index_name=image.index_name,
        index_digest=image.index_digest,
    )
