"""SHA-256 of downloads: computed on first request, by one thread, once for all requests; then stored."""

import asyncio
import hashlib
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import structlog
from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from patina.db import transaction
from patina.errors import PatinaError
from patina.image.download import Download
from patina.image.models import ImageDownload

WAIT_S = 10.0
RETRY_AFTER_S = 5

log = structlog.get_logger()


DigestPending = PatinaError.of("digest_pending", "Digest pending", status=503)
DigestsClosed = PatinaError.of("server_stopping", "The server is stopping", status=503)


@dataclass
class Computation:
    """A digest being computed."""

    download: Download
    done_bytes: int = 0
    future: "Future[str]" = field(init=False)

    @property
    def progress_fraction(self) -> float:
        return self.done_bytes / max(self.download.size_bytes, 1)

    def pending(self) -> PatinaError:
        """Returns the error for a client that has waited long enough."""
        return DigestPending(
            f"The SHA-256 of {self.download.file_name} is being computed, {self.progress_fraction:.0%} done. "
            f"Ask again in {RETRY_AFTER_S} s.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


def known_digest(*, session: Session, download: Download) -> str | None:
    """Returns the digest, if it was computed for these bytes."""
    row = session.get(ImageDownload, (download.image_id, download.format.value))
    return row.sha256 if row is not None and row.etag == download.etag else None


def keep_digest(*, session: Session, download: Download, sha256: str) -> None:
    """Stores the digest of these bytes, replacing that of older bytes of this format."""
    values = {"etag": download.etag, "size_bytes": download.size_bytes, "sha256": sha256}
    statement = insert(ImageDownload).values(image_id=download.image_id, format=download.format.value, **values)
    renewed = values | {"computed_at": func.now()}
    session.execute(statement.on_conflict_do_update(index_elements=["image_id", "format"], set_=renewed))


class Digests:
    """All computations of this process."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="image-digest")
        self._computations: dict[str, Computation] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()

    def close(self) -> None:
        """Cancels the running and the waiting computations."""
        self._closing.set()
        self._thread.shutdown(cancel_futures=True)

    def under_way(self, download: Download) -> Computation | None:
        """Returns the running computation of this download, if any."""
        with self._lock:
            return self._computations.get(download.key)

    def demand(self, download: Download) -> Computation:
        """Returns the running computation of this download, or starts one."""
        with self._lock:
            known = self._computations.get(download.key)
            if known is not None:
                return known
            computation = Computation(download)
            self._computations[download.key] = computation
            computation.future = self._thread.submit(self._compute, computation)
        # Outside the lock: a callback of an ended future is called at once.
        computation.future.add_done_callback(lambda future: self._forget(download, future))
        return computation

    def _forget(self, download: Download, future: "Future[str]") -> None:
        with self._lock:
            del self._computations[download.key]
        error = None if future.cancelled() else future.exception()
        if error is not None:
            log.warning("digest not computed", image_id=download.image_id, format=download.format, why=str(error))

    def _compute(self, computation: Computation) -> str:
        download = computation.download
        with transaction() as session:
            known = known_digest(session=session, download=download)
        if known is not None:  # computed between the caller's lookup and its demand
            return known
        sha = hashlib.sha256()
        for piece in download.read(0, download.size_bytes):
            if self._closing.is_set():
                raise DigestsClosed("The server is stopping. Ask again when it is back.")
            sha.update(piece)
            computation.done_bytes += len(piece)
        with transaction() as session:
            keep_digest(session=session, download=download, sha256=sha.hexdigest())
        return sha.hexdigest()


async def computed(digests: Digests, download: Download) -> str:
    """Returns the digest. Raises DigestPending after the longest time that a client waits."""
    computation = digests.demand(download)
    future = asyncio.wrap_future(computation.future)
    try:
        # Shielded: a client that disconnects does not cancel it for others.
        return await asyncio.wait_for(asyncio.shield(future), WAIT_S)
    except TimeoutError as error:
        raise computation.pending() from error
