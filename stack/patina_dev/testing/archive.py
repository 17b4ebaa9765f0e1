"""Makes OCI archives for tests, whole or with one thing wrong."""

import hashlib
import io
import json
import random
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

from patina.image import oci
from patina_dev.testing.store import CHUNK_BYTES, index_bytes

SIZE_BYTES = 4 * CHUNK_BYTES
CONTENT = random.Random(11).randbytes(SIZE_BYTES)
CHUNKS = [CONTENT[at : at + CHUNK_BYTES] for at in range(0, SIZE_BYTES, CHUNK_BYTES)]
INDEX = index_bytes((CHUNK_BYTES, hashlib.sha256(chunk).digest()) for chunk in CHUNKS)
INDEX_DIGEST = hashlib.sha256(INDEX).hexdigest()


def config() -> dict[str, Any]:
    """Returns the manifest of an imported image."""
    intake = {
        "kind": "foreign", "source": "", "file_name": "a.img", "format": "raw", "file_bytes": SIZE_BYTES,
        "file_sha256": "0" * 64, "holds": None, "is_clean": None, "check_message": "", "layout_message": "",
        "host": "there", "kernel": "6.1", "patina_version": "0.1.0", "tools": {},
    }  # fmt: skip
    return {
        "type": "manifest", "schema_version": 1, "name": "there", "origin": "imported", "mode": "exact",
        "size_bytes": SIZE_BYTES, "index_digest": INDEX_DIGEST, "fullness": None, "recipe": None, "summary": None,
        "layout": None, "intake": intake, "created_at": "2026-01-01T00:00:00+00:00", "of_a_later_version": 1,
    }  # fmt: skip


@dataclass
class Layout:
    """The files of an archive, which a test may change before they are written."""

    config: dict[str, Any] = field(default_factory=config)
    layers: list[bytes] = field(default_factory=lambda: [zstandard.compress(CONTENT)])
    config_type: str = oci.CONFIG_TYPE
    layer_type: str = oci.LAYER_TYPE
    index: bytes | None = None  # of a thin archive, whose other layers are chunks
    files: dict[str, bytes] = field(default_factory=dict)

    def blob(self, media_type: str, content: bytes) -> dict[str, Any]:
        """Adds a blob. Returns its descriptor."""
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        self.files[oci.blob_path(digest)] = content
        return oci.descriptor_of(media_type, digest, len(content))

    def made(self, **changes: object) -> "Layout":
        """Makes the files. `changes` are members of the manifest."""
        described = self.blob(self.config_type, json.dumps(self.config).encode())
        layers = [] if self.index is None else [self.blob(oci.THIN_INDEX_TYPE, self.index)]
        layers += [self.blob(self.layer_type, layer) for layer in self.layers]
        document = oci.manifest_of("there", "2026-01-01", described, layers) | changes
        manifest = self.blob(oci.MANIFEST_TYPE, json.dumps(document).encode())
        self.files[oci.LAYOUT_FILE] = b'{"imageLayoutVersion": "1.0.0"}'
        self.files[oci.INDEX_FILE] = json.dumps(oci.index_of("there", manifest)).encode()
        return self

    def path_of(self, content: bytes) -> str:
        """Returns the path of the blob with this content."""
        return oci.blob_path(f"sha256:{hashlib.sha256(content).hexdigest()}")

    def write(self, path: Path, *more: tarfile.TarInfo) -> Path:
        """Writes the files, and then `more` members without content."""
        with tarfile.open(path, "w") as tar:
            for name, content in self.files.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
            for member in more:
                tar.addfile(member)
        return path


def thin(*chunks: bytes, index: bytes = INDEX, layer_type: str = oci.THIN_CHUNKS_TYPE, **changes: object) -> Layout:
    """Returns a thin archive with these chunks, packed. `changes` are of its config."""
    named = {"index_digest": hashlib.sha256(index).hexdigest()} | changes
    return Layout(config=config() | named, layers=[b"".join(chunks)], layer_type=layer_type, index=index).made()


def packed(chunks: Iterable[bytes]) -> list[bytes]:
    """Returns the chunks as a store has them."""
    return [zstandard.compress(chunk, 1) for chunk in chunks]
