"""Place of an image's chunks: the store of the host that captured it, and the bucket if there is one."""

from patina.bucket.client import INDEXES, bucket
from patina.errors import PatinaError
from patina.file_name import file_below
from patina.host.models import Host
from patina.image.models import Image
from patina.image.schemas import ImagePlace
from patina.settings import settings

ImageElsewhere = PatinaError.of("image_elsewhere", "The image is on another host", status=409)


def place_of(image: Image) -> ImagePlace:
    """Returns the place by the catalog, without reading a store."""
    host = image.host
    return ImagePlace(
        bucket=image.bucket,
        host=host and host.name,
        is_host_healthy=host and host.is_healthy,
        is_host_removed=host and host.removed_at is not None,
    )


def require_within_reach(image: Image, host: Host) -> None:
    """Raises ImageElsewhere unless `host` has the image, or can fetch it from the bucket."""
    if image.host is None or image.host_id == host.id or _is_in_bucket(image):
        return
    raise _elsewhere(image, f"host {host.name} cannot restore, verify or roll back to it")


def require_here(image: Image) -> None:
    """Raises ImageElsewhere when this server, which reads the store of its own host, cannot read the image."""
    if is_elsewhere(image):
        raise _elsewhere(image, "this server cannot read it")


def is_elsewhere(image: Image) -> bool:
    """Returns whether only another host's store has the image."""
    if image.host is None or image.host.name == settings().host_name:
        return False
    return bucket() is None and not file_below(settings().index_dir, image.index_name).exists()


def _is_in_bucket(image: Image) -> bool:
    """Returns whether the bucket has the image; queries it for images older than this record."""
    remote = bucket()
    if remote is None:
        return False
    return image.bucket == remote.name or remote.look(f"{INDEXES}/{image.index_name}") is not None


def _elsewhere(image: Image, so: str) -> PatinaError:
    assert image.host is not None
    name = image.host.name
    gone = f", which was removed on {image.host.removed_at:%Y-%m-%d}" if image.host.removed_at else ""
    known = "no bucket has it" if bucket() else "there is no bucket"
    return ImageElsewhere(
        f"Image {image.name} is in the store of host {name}{gone}, and {known}: {so}. "
        f"Take a device of host {name}, or keep images in a bucket (PATINA_STORE_BUCKET)."
    )
