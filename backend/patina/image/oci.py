"""An image as an OCI image layout in a tar file: media types, limits, documents. Shared by the command, which writes
archives, and the worker, which reads them. See docs/file-formats.md, "OCI archive"."""

import json
from typing import Any

MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
ARTIFACT_TYPE = "application/vnd.patina.image.v1"
CONFIG_TYPE = "application/vnd.patina.manifest.v1+json"
LAYER_TYPE = "application/vnd.patina.image.layer.v1.raw+zstd"
# Of a thin archive: its first layer is the image's index, the others are stored chunks, one after the other.
THIN_INDEX_TYPE = "application/vnd.patina.image.index.v1.caibx"
THIN_CHUNKS_TYPE = "application/vnd.patina.image.chunks.v1+zstd"
LAYOUT_FILE, INDEX_FILE = "oci-layout", "index.json"
LAYOUT_VERSION = "1.0.0"

# The more layers, the more of them equal those of another image; the time of skopeo grows with their square.
LEAST_LAYER_BYTES = 16 * 2**20
MOST_LAYERS_COUNT = 512
# The limit of registries.
MANIFEST_BYTES = 4 * 2**20


def layer_bytes_of(image_bytes: int) -> int:
    """Returns the length of the layers of an image of this size, before packing; the last one may be shorter."""
    layer_bytes = LEAST_LAYER_BYTES
    while layer_bytes * MOST_LAYERS_COUNT < image_bytes:
        layer_bytes *= 2
    return layer_bytes


def blob_path(digest: str) -> str:
    """Returns the path of a blob in the layout. `digest` is `sha256:` and 64 hex digits."""
    return f"blobs/{digest.replace(':', '/')}"


def descriptor_of(media_type: str, digest: str, size_bytes: int) -> dict[str, Any]:
    """Returns the descriptor of a blob."""
    return {"mediaType": media_type, "digest": digest, "size": size_bytes}


def encoded(document: dict[str, Any]) -> bytes:
    """Returns a document as bytes, the same for equal documents."""
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def manifest_of(name: str, created_at: str, config: dict[str, Any], layers: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the manifest, of the descriptors of its blobs."""
    annotations = {"org.opencontainers.image.created": created_at, "org.opencontainers.image.title": name}
    return {
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "artifactType": ARTIFACT_TYPE,
        "config": config,
        "layers": layers,
        "annotations": annotations,
    }


def index_of(name: str, manifest: dict[str, Any]) -> dict[str, Any]:
    """Returns the layout's index, with `name` as the tag of its one manifest."""
    tagged = manifest | {"annotations": {"org.opencontainers.image.ref.name": name}}
    return {"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": [tagged]}
