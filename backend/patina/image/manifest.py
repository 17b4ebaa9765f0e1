"""The manifest of an image: its complete origin in one JSON document, whose digest the catalog keeps."""

import hashlib
import json
from datetime import UTC

from patina.errors import PatinaError
from patina.image.models import Image

SCHEMA_VERSION = 1
_COLUMNS = (
    "origin", "mode", "file_system", "fullness", "size_bytes", "stored_bytes", "index_digest", "recipe",
    "summary", "intake", "capture", "layout",
)  # fmt: skip


ManifestCorrupt = PatinaError.of("manifest_corrupt", "The image's manifest is damaged")


def _document(image: Image) -> bytes:
    content = {"type": "manifest", "schema_version": SCHEMA_VERSION}
    content |= {name: getattr(image, name) for name in _COLUMNS}
    content["name"] = image.published_name
    content["parent_index_digest"] = image.parent and image.parent.index_digest
    content["created_at"] = image.created_at.astimezone(UTC).isoformat()
    return (json.dumps(content, sort_keys=True, indent=1, allow_nan=False) + "\n").encode()


def digest_of(image: Image) -> str:
    """Returns the SHA-256, hex, of the manifest of a new row."""
    return hashlib.sha256(_document(image)).hexdigest()


def manifest_of(image: Image) -> bytes:
    """Returns the manifest as published. Raises ManifestCorrupt."""
    document = _document(image)
    found = hashlib.sha256(document).hexdigest()
    if image.manifest_digest is not None and found != image.manifest_digest:
        raise ManifestCorrupt(
            f"The manifest of image {image.name} has the digest {found}, but was published with "
            f"{image.manifest_digest}: its row in the database was changed or damaged since. Its chunks are not "
            "concerned; restore the row from a backup."
        )
    return document
