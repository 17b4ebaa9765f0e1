"""The chunk store over HTTP, read-only, as casync fetches it: chunks by name, no other files."""

from fastapi import Request
from fastapi.responses import Response

from patina.http.routing import Router
from patina.image.chunks import not_a_chunk
from patina.image.download import chunk_store
from patina.image.manifest import SCHEMA_VERSION
from patina.image.schemas import ChunkQuestion, MissingChunks
from patina.image.transfer import is_fresh

# A name is the digest of the content: clients cache chunks forever.
CACHING = "public, max-age=31536000, immutable"

router = Router(prefix="/store", tags=["store"])
chunk_router = Router(prefix="/chunks", tags=["store"])


@router.head("/{prefix}/{name}", include_in_schema=False)
@router.get(
    "/{prefix}/{name}",
    operation_id="get_chunk",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "A zstd frame"}},
)
def get_chunk(request: Request, prefix: str, name: str) -> Response:
    """Returns a stored chunk: abcd/<64 hex digits>.cacnk, for `casync extract --store=http://this-server/store`."""
    chunk = chunk_store().published(f"{prefix}/{name}")
    # The ETag is of the stored bytes: a chunk that is stored anew may be compressed differently.
    headers = {"ETag": f'"{chunk.size_bytes:x}-{chunk.mark:x}"', "Cache-Control": CACHING}
    if is_fresh(request.headers, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(chunk.data, media_type="application/octet-stream", headers=headers)


@chunk_router.post("/missing", operation_id="find_missing_chunks")
def find_missing_chunks(body: ChunkQuestion) -> MissingChunks:
    """Returns which of these chunks the store lacks, for a client that is about to send an image."""
    missing = chunk_store().missing([bytes.fromhex(digest) for digest in dict.fromkeys(body.digests)])
    return MissingChunks(digests=[digest.hex() for digest in missing], manifest_schema_version=SCHEMA_VERSION)


@router.head("", include_in_schema=False)
@router.get("", include_in_schema=False)
@router.head("/{path:path}", include_in_schema=False)
@router.get("/{path:path}", include_in_schema=False)
def get_no_chunk(path: str = "") -> None:
    """Refuses other paths: the store has no listing, and no files but chunks."""
    raise not_a_chunk(path)
