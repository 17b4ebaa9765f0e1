"""Writes OCI image layouts as tar files. See docs/file-formats.md, "OCI archive"."""

import hashlib
import json
import tarfile
from collections.abc import Callable
from typing import Any, BinaryIO

from patina.image import oci


class ArchiveWriter:
    """A tar file that is being written, with blobs whose digests are known only after their last byte. The same blobs
    in the same order make the same file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._blobs: set[str] = set()

    def _add_file(self, path: str, content: bytes) -> None:
        """Adds a small file."""
        self._file.write(_header(path, len(content)) + content)
        self._pad()

    def add_blob(self, media_type: str, fill: Callable[[BinaryIO], tuple[str, int]]) -> dict[str, Any]:
        """Adds what `fill` writes to the file; it returns the digest and the size. A blob that is there already is
        not added again. Returns the blob's descriptor."""
        at = self._file.tell()
        self._file.seek(tarfile.BLOCKSIZE, 1)
        digest, size_bytes = fill(self._file)
        if digest in self._blobs:
            self._file.seek(at)
            self._file.truncate()
        else:
            self._blobs.add(digest)
            self._pad()
            end = self._file.tell()
            self._file.seek(at)
            self._file.write(_header(oci.blob_path(digest), size_bytes))
            self._file.seek(end)
        return oci.descriptor_of(media_type, digest, size_bytes)

    def add_content(self, media_type: str, content: bytes) -> dict[str, Any]:
        """Adds a blob that is in memory. Returns its descriptor."""

        def _fill(file: BinaryIO) -> tuple[str, int]:
            file.write(content)
            return f"sha256:{hashlib.sha256(content).hexdigest()}", len(content)

        return self.add_blob(media_type, _fill)

    def end(self, name: str, config: bytes, layers: list[dict[str, Any]]) -> dict[str, Any]:
        """Adds the config, the manifest and the other documents, and the end of the archive. Returns the manifest's
        descriptor."""
        self._add_file(oci.LAYOUT_FILE, oci.encoded({"imageLayoutVersion": oci.LAYOUT_VERSION}))
        described = self.add_content(oci.CONFIG_TYPE, config)
        created_at = json.loads(config)["created_at"]
        document = oci.encoded(oci.manifest_of(name, created_at, described, layers))
        manifest = self.add_content(oci.MANIFEST_TYPE, document)
        self._add_file(oci.INDEX_FILE, oci.encoded(oci.index_of(name, manifest)))
        self._file.write(bytes(2 * tarfile.BLOCKSIZE))
        self._file.truncate()
        return manifest

    def _pad(self) -> None:
        self._file.write(bytes(-self._file.tell() % tarfile.BLOCKSIZE))


def _header(path: str, size_bytes: int) -> bytes:
    """Returns one block: no time, no owner, a mode; sizes over 8 GiB as GNU tar writes them."""
    member = tarfile.TarInfo(path)
    member.size = size_bytes
    return member.tobuf(tarfile.GNU_FORMAT)
