"""SHA-256 of downloads: computed when first asked for, by one thread, once however many ask; then kept."""

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
    """One digest on its way."""

    download: Download
    done_bytes: int = 0
    future: "Future[str]" = field(init=False)

    @property
    def progress_fraction(self) -> float:
        return self.done_bytes / max(self.download.size_bytes, 1)

    def pending(self) -> PatinaError:
        """What to tell a client that has waited long enough."""
        return DigestPending(
            f"The SHA-256 of {self.download.file_name} is being computed, {self.progress_fraction:.0%} done. "
            f"Ask again in {RETRY_AFTER_S} s.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


def known_digest(*, session: Session, download: Download) -> str | None:
    """The digest, if these very bytes have been through."""
    row = session.get(ImageDownload, (download.image_id, download.format.value))
    return row.sha256 if row is not None and row.etag == download.etag else None


def keep_digest(*, session: Session, download: Download, sha256: str) -> None:
    """The digest of these bytes, in place of any older bytes' of this format."""
    values = {"etag": download.etag, "size_bytes": download.size_bytes, "sha256": sha256}
    statement = insert(ImageDownload).values(image_id=download.image_id, format=download.format.value, **values)
    renewed = values | {"computed_at": func.now()}
    session.execute(statement.on_conflict_do_update(index_elements=["image_id", "format"], set_=renewed))


class Digests:
    """Every computation of this process."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="image-digest")
        self._computations: dict[str, Computation] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()

    def close(self) -> None:
        """End the computation under way, and those that wait."""
        self._closing.set()
        self._thread.shutdown(cancel_futures=True)

    def under_way(self, download: Download) -> Computation | None:
        """The computation of this download, if there is one."""
        with self._lock:
            return self._computations.get(download.key)

    def demand(self, download: Download) -> Computation:
        """The computation of this download: the one under way, or a new one."""
        with self._lock:
            known = self._computations.get(download.key)
            if known is not None:
                return known
            computation = Computation(download)
            self._computations[download.key] = computation
            computation.future = self._thread.submit(self._compute, computation)
        # Outside the lock: it may have ended by now, and then this calls at once.
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
        if known is not None:  # computed between somebody's look and demand
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
    """The digest once it is there, or DigestPending when that takes longer than a client waits."""
    computation = digests.demand(download)
    future = asyncio.wrap_future(computation.future)
    try:
        # Shielded: one who stops waiting does not end it for the others.
        return await asyncio.wait_for(asyncio.shield(future), WAIT_S)
    except TimeoutError as error:
        raise computation.pending() from error
