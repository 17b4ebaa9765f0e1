"""Routes of images."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Query, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response
from sqlalchemy.orm import Session

from patina.account.schemas import Sharing
from patina.account.visibility import share
from patina.core.contract.age import Layout
from patina.http.read_only import read_only, read_only_at_length
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.image import facets, listing, naming, reproduction, service
from patina.image import reference as reference_of
from patina.image.difference import ImageDifference, difference
from patina.image.digest import Digests, computed, known_digest
from patina.image.download import Download, format_named, open_download
from patina.image.facets import ImageFacets
from patina.image.layers import layer, layers_count
from patina.image.manifest import manifest_of
from patina.image.reproduction import Reproduction
from patina.image.schemas import (
    DeletedImageList,
    DeletionRead,
    ImageChange,
    ImageDownloads,
    ImageLayers,
    ImageNamingList,
    ImagePage,
    ImageRead,
    ImageUse,
    Reference,
    TagCreate,
)
from patina.image.search import ImageQuery, ImageSearch
from patina.image.signing import public_key, signed_manifest
from patina.image.transfer import PiecesResponse, attachment, index_response, respond
from patina.run import service as run_service
from patina.run.schemas import RunRead
from patina.use_case import delete_image as deletion
from patina.use_case import reproduce_image as reproducing
from patina.use_case.image_use import image_use
from patina.use_case.reproduce_image import ReproductionCreate

router = Router(prefix="/images", tags=["image"])


def _wanted_download(session: RequestSession, image_id: int, format_name: str) -> Download:
    image = service.get_image(session=session, image_id=image_id)
    return open_download(image=image, image_format=format_named(format_name))


# scope="function": a download may last for hours; its transaction must not.
WantedDownload = Annotated[Download, Depends(_wanted_download, scope="function")]


def _wanted_layer(session: RequestSession, image_id: int, number: int) -> Generator[bytes]:
    return layer(service.get_image(session=session, image_id=image_id), number)


WantedLayer = Annotated[Generator[bytes], Depends(_wanted_layer, scope="function")]


def _wanted_signed_manifest(session: RequestSession, image_id: int) -> Generator[bytes]:
    return signed_manifest(service.get_image(session=session, image_id=image_id))


WantedSignedManifest = Annotated[Generator[bytes], Depends(_wanted_signed_manifest, scope="function")]


def _streamed(
    request: Request, pieces: Generator[bytes], media_type: str, image_id: int, *, what: str
) -> PiecesResponse:
    return PiecesResponse(
        pieces,
        media_type=media_type,
        logged={"image_id": image_id, "what": what},
        threads=request.app.state.download_threads,
        headers={"Cache-Control": "private, no-cache"},
    )


@dataclass(frozen=True)
class _Wanted:
    download: Download
    known: str | None


def _wanted_digest(session: RequestSession, download: WantedDownload) -> _Wanted:
    return _Wanted(download, known_digest(session=session, download=download))


WantedDigest = Annotated[_Wanted, Depends(_wanted_digest, scope="function")]


@router.get("", operation_id="list_images")
@read_only
def list_images(session: Session, asked: Annotated[ImageQuery, Query()]) -> ImagePage | str:
    """Returns the images that a search finds, in pages."""
    return listing.list_images(session=session, asked=asked)


@router.get("/facets", operation_id="count_images")
@read_only
def count_images(session: Session, search: Annotated[ImageSearch, Query()]) -> ImageFacets:
    """Returns the number of images that a search finds, and their number for each value of each facet. The counts of a
    facet ignore the values chosen for it."""
    return facets.count_images(session=session, search=search)


@router.get("/deleted", operation_id="list_deleted_images")
@read_only
def list_deleted_images(session: Session) -> DeletedImageList:
    """Returns the images that are deleted and can be brought back."""
    return DeletedImageList(items=deletion.list_deleted(session=session))


@router.get("/manifest-key.pem", operation_id="get_manifest_key", response_class=PlainTextResponse)
def get_manifest_key() -> PlainTextResponse:
    """Returns the public key that verifies the manifests of this server, in PEM."""
    return PlainTextResponse(public_key(), media_type="application/x-pem-file")


@router.get("/named", operation_id="find_image")
@read_only
def find_image(session: Session, reference: Annotated[Reference, Query()]) -> ImageRead:
    """Returns the image that a reference names: its number, its name, `name:tag`, `team/name:tag` or `@sha256:` with
    the digest of its index or manifest. Without a tag, the name of an image, or else the tag `latest`."""
    image_id = reference_of.find_image(session=session, reference=reference).id
    return service.read(service.get_image(session=session, image_id=image_id))


@router.get("/{image_id}", operation_id="get_image")
@read_only
def get_image(session: Session, image_id: int) -> ImageRead:
    """Returns one image with its recipe and figures."""
    return service.read(service.get_image(session=session, image_id=image_id))


@router.head("/{image_id}/index.caibx", include_in_schema=False)
@router.get("/{image_id}/index.caibx", operation_id="get_image_index", response_class=FileResponse)
def get_image_index(session: RequestSession, image_id: int) -> Response:
    """Returns the image's index, a .caibx file that casync reads."""
    return index_response(service.get_image(session=session, image_id=image_id))


@router.get(
    "/{image_id}/manifest.json",
    operation_id="get_image_manifest",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}, "description": "docs/file-formats.md describes it"}},
)
def get_image_manifest(session: RequestSession, image_id: int) -> Response:
    """Returns the manifest: recipe, summary, capture and layout, checked against its digest."""
    image = service.get_image(session=session, image_id=image_id)
    headers = {"ETag": f'"{image.manifest_digest}"'} if image.manifest_digest else {}
    headers["Content-Disposition"] = attachment(f"{image.name}.manifest.json")
    return Response(manifest_of(image), media_type="application/json", headers=headers)


@router.get(
    "/{image_id}/manifest.signed.json",
    operation_id="get_signed_image_manifest",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}, "description": "docs/file-formats.md describes it"}},
)
def get_signed_image_manifest(request: Request, pieces: WantedSignedManifest, image_id: int) -> Response:
    """Returns the manifest signed by this server, with the image's index, as `patina verify --manifest` reads it."""
    return _streamed(request, pieces, "application/json", image_id, what="signed manifest")


@router.get("/{image_id}/layers", operation_id="describe_image_layers")
def describe_image_layers(session: RequestSession, image_id: int) -> ImageLayers:
    """Returns the number of the image's layers, of which an OCI archive consists."""
    return ImageLayers(layers_count=layers_count(service.get_image(session=session, image_id=image_id)))


@router.get(
    "/{image_id}/layers/{number}",
    operation_id="get_image_layer",
    response_class=Response,
    responses={200: {"content": {"application/zstd": {}}, "description": "A range of the device, packed by zstd"}},
)
def get_image_layer(request: Request, pieces: WantedLayer, image_id: int, number: int) -> Response:
    """Streams a layer. Its length is not known in advance; a damaged chunk ends the response early."""
    return _streamed(request, pieces, "application/zstd", image_id, what=f"layer {number}")


@router.get("/{image_id}/layout", operation_id="get_image_layout")
def get_image_layout(session: RequestSession, image_id: int) -> Layout:
    """Returns the layout of the image's file system, measured just before the capture."""
    return service.read_layout(service.get_image(session=session, image_id=image_id))


@router.get("/{image_id}/downloads", operation_id="list_image_downloads")
def list_image_downloads(request: Request, session: RequestSession, image_id: int) -> ImageDownloads:
    """Returns the image's downloads: sizes, known digests, and the command line for casync."""
    image = service.get_image(session=session, image_id=image_id)
    digests: Digests = request.app.state.digests
    return service.describe_downloads(session=session, image=image, digests=digests, base_url=str(request.base_url))


@router.head("/{image_id}/download/{format_name}.sha256", include_in_schema=False)
@router.get(
    "/{image_id}/download/{format_name}.sha256",
    operation_id="get_image_download_digest",
    response_class=PlainTextResponse,
)
async def get_image_download_digest(request: Request, wanted: WantedDigest) -> PlainTextResponse:
    """Returns the download's SHA-256 in sha256sum's format. Computed on first request; before, 503 with Retry-After."""
    sha256 = wanted.known or await computed(request.app.state.digests, wanted.download)
    return PlainTextResponse(f"{sha256}  {wanted.download.file_name}\n")


@router.head("/{image_id}/download/{format_name}", include_in_schema=False)
@router.get(
    "/{image_id}/download/{format_name}",
    operation_id="download_image",
    response_class=Response,
    responses={
        200: {"content": {"application/octet-stream": {}}, "description": "The whole download"},
        206: {"content": {"application/octet-stream": {}}, "description": "The requested range"},
    },
)
def download_image(request: Request, download: WantedDownload) -> Response:
    """Streams the device's bytes from the chunks as raw, raw.zst or qcow2. Supports Range and If-Range."""
    return respond(request, download)


@router.get("/{image_id}/difference", operation_id="compare_images")
@read_only_at_length
def compare_images(session: Session, image_id: int, other: int) -> ImageDifference:
    """Compares the bytes of the image with those of the image `other`."""
    first, second = (service.get_image(session=session, image_id=number) for number in (image_id, other))
    return difference(first, second)


@router.get("/{image_id}/use", operation_id="describe_image_use")
@read_only
def describe_image_use(session: Session, image_id: int) -> ImageUse:
    """Returns the image's lineage, and the devices and trials that use it."""
    return image_use(session=session, image=service.get_image(session=session, image_id=image_id))


@router.get("/{image_id}/deletion", operation_id="describe_deletion")
@read_only_at_length
def describe_deletion(session: Session, image_id: int) -> DeletionRead:
    """Returns the bytes that deleting the image would free, and the devices that depend on it."""
    return deletion.describe_deletion(session=session, image_id=image_id)


@router.patch("/{image_id}", operation_id="change_image")
def change_image(session: RequestSession, image_id: int, body: ImageChange) -> ImageRead:
    """Changes the image's name, description or protection."""
    image = service.get_image(session=session, image_id=image_id)
    return service.read(naming.change_image(session=session, image=image, change=body))


@router.post("/{image_id}/tags", operation_id="tag_image")
def tag_image(session: RequestSession, image_id: int, body: TagCreate) -> ImageRead:
    """Makes a tag name this image from now on."""
    image = service.get_image(session=session, image_id=image_id)
    return service.read(naming.set_tag(session=session, image=image, reference=body.reference))


@router.delete("/{image_id}/tags", operation_id="remove_image_tag", status_code=204)
def remove_image_tag(session: RequestSession, image_id: int, reference: Annotated[Reference, Query()]) -> None:
    """Removes a tag of the image."""
    image = service.get_image(session=session, image_id=image_id)
    naming.remove_tag(session=session, image=image, reference=reference)


@router.get("/{image_id}/namings", operation_id="list_image_namings")
@read_only
def list_image_namings(session: Session, image_id: int) -> ImageNamingList:
    """Returns when names and tags began or ceased to name the image."""
    image = service.get_image(session=session, image_id=image_id)
    return ImageNamingList(items=naming.list_namings(session=session, image=image))


@router.post("/{image_id}/reproductions", operation_id="reproduce_image", status_code=202)
def reproduce_image(
    session: RequestSession,
    response: Response,
    image_id: int,
    body: ReproductionCreate,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> RunRead:
    """Queues a run by the image's recipe, with its seed and profile version. Idempotent with an Idempotency-Key."""
    image = service.get_image(session=session, image_id=image_id)
    run = reproducing.reproduce_image(session=session, image=image, create=body, idempotency_key=idempotency_key)
    response.headers["Location"] = f"/api/v1/runs/{run.id}"
    return run_service.read(session=session, run=run)


@router.get("/{image_id}/reproduction", operation_id="compare_reproduction")
@read_only
def compare_reproduction(session: Session, image_id: int) -> Reproduction:
    """Compares the image with the one that it reproduces: plan, layout, and the recipes."""
    return reproduction.compare(session=session, image=service.get_image(session=session, image_id=image_id))


@router.put("/{image_id}/sharing", operation_id="share_image")
def share_image(session: RequestSession, image_id: int, body: Sharing) -> ImageRead:
    """Changes who sees the image. Its account, the members of its team and operators may."""
    image = service.get_image(session=session, image_id=image_id)
    share(session=session, row=image, sharing=body)
    return service.read(image)


@router.delete("/{image_id}", operation_id="delete_image", status_code=204)
def delete_image(session: RequestSession, image_id: int) -> None:
    """Deletes the image from the catalog. It can be brought back within the grace period."""
    deletion.delete_image(session=session, image_id=image_id)


@router.post("/{image_id}/bring-back", operation_id="bring_back_image", status_code=204)
def bring_back_image(session: RequestSession, image_id: int) -> None:
    """Brings back a deleted image within its grace period."""
    deletion.bring_back(session=session, image_id=image_id)
