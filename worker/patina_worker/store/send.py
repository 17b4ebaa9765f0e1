"""Sends an image to the bucket: its chunks as they appear, then the missing ones, then its index.

After `send_image` the bucket has every chunk that the index names, and no collection takes one of them away.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from patina.bucket.client import INDEXES, Bucket
from patina.core.contract.age import CaptureSummary
from patina.errors import PatinaError
from patina.figures import in_bytes
from patina.image.chunks import ChunkReader, ChunkStore, bucket_path
from patina.image.index import ENTRY_BYTES, HEADER_BYTES, TABLE_HEAD_BYTES, Entry, Index
from patina.settings import settings
from patina_worker.store.bucket_lock import wait_for_collections
from patina_worker.store.chunk_staging import adding_chunks
from patina_worker.store.exchange import THREADS_COUNT, TICK_S, WAITING_COUNT, Exchange, Observer

log = structlog.get_logger()


class Sender:
    """Sends the chunks of one image. Does not check again a chunk known to be young in the bucket."""

    def __init__(self, remote: Bucket) -> None:
        self._bucket = remote
        self._store = ChunkStore(settings().store_dir)
        # A collection may already have listed an older chunk as garbage; half the grace period leaves a margin for
        # clocks and the last steps.
        self._young_s = settings().gc_grace_s / 2
        self._began_at = time.monotonic()
        self._sent: set[bytes] = set()
        self._old: list[Entry] = []

    def send(self, entry: Entry) -> int:
        """Ensures that the bucket has this chunk; returns its stored bytes. Thread-safe."""
        path = bucket_path(entry.digest)
        size_bytes, _ = self._store.stat(entry.digest)
        found = self._bucket.look(path)
        if found is None or found.size_bytes != size_bytes:
            # The reader checks the digest, so that no damaged chunk is sent; another size: other packing, or damage.
            self._bucket.put(path, ChunkReader(self._store).stored(entry).data)
        elif datetime.now(UTC) - found.modified_at > timedelta(seconds=self._young_s):
            self._old.append(entry)
        self._sent.add(entry.digest)
        return size_bytes

    def unsent(self, index: Index) -> Iterator[Entry]:
        """Yields each chunk of the index not known to be in the bucket, once."""
        handed_out: set[bytes] = set()
        for entry in index.entries():
            if entry.digest not in self._sent and entry.digest not in handed_out:
                handed_out.add(entry.digest)
                yield entry

    def doubtful(self, index: Index) -> list[Entry]:
        """Returns the chunks that a collection which began before may have removed; they must be sent again."""
        if time.monotonic() - self._began_at > self._young_s / 2:
            self._sent.clear()
            return list(self.unsent(index))
        return list({entry.digest: entry for entry in self._old}.values())

    @contextlib.contextmanager
    def following(self, index: Path) -> Iterator[None]:
        """Sends chunks as soon as the index being written names them and the store has them.

        Never fails: send_image sends the rest.
        """
        over = threading.Event()
        thread = threading.Thread(target=self._follow, args=(index, over), name="follow", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _follow(self, index: Path, over: threading.Event) -> None:
        room = threading.Semaphore(WAITING_COUNT)
        pool = ThreadPoolExecutor(THREADS_COUNT, thread_name_prefix="follow")

        def _send(entry: Entry) -> None:
            try:
                self.send(entry)
            except PatinaError as error:
                log.warning("not sent yet", chunk=entry.digest.hex(), why=error.message)
                over.set()
            finally:
                room.release()

        appearing: dict[bytes, Entry] = {}
        written = IndexBeingWritten(Path(f"{index}.tmp"))
        while not over.wait(TICK_S):
            appearing |= {entry.digest: entry for entry in written.news() if entry.digest not in self._sent}
            for entry in [entry for entry in appearing.values() if self._store.holds_file(entry.digest)]:
                while not over.is_set() and not room.acquire(timeout=TICK_S):
                    pass
                if over.is_set():
                    break
                del appearing[entry.digest]
                pool.submit(_send, entry)
        pool.shutdown(wait=False, cancel_futures=True)  # a chunk under way may be sent twice, which is harmless


class IndexBeingWritten:
    """Reads the entries of an index while the core writes it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = HEADER_BYTES + TABLE_HEAD_BYTES
        self._end_bytes = 0

    def news(self) -> Iterator[Entry]:
        """Yields the entries added since the last call."""
        with contextlib.suppress(FileNotFoundError), self._path.open("rb") as file:
            file.seek(self._place)
            while len(record := file.read(ENTRY_BYTES)) == ENTRY_BYTES:
                end_bytes = int.from_bytes(record[:8], "little")
                if end_bytes <= self._end_bytes:
                    return  # the tail
                yield Entry(self._end_bytes, end_bytes - self._end_bytes, record[8:])
                self._end_bytes = end_bytes
                self._place += ENTRY_BYTES


def send_image(*, remote: Bucket, sender: Sender, path: Path, summary: CaptureSummary, observer: Observer) -> None:
    """Sends the chunks, the index, and chunks that a collection may have removed since. BucketRefusal, Stopped."""
    total_bytes = summary.stored_bytes

    def _progress(done_bytes: int, total_bytes: int) -> None:
        os.utime(path)  # keeps the index young, however long the transfer takes
        observer.progress(done_bytes, total_bytes)

    kept_young = Observer(check=observer.check, progress=_progress, say=observer.say)
    exchange = Exchange(patience_s=settings().store_patience_s, observer=kept_young)
    observer.say(f"Sending what the bucket {remote.name} lacks of {in_bytes(total_bytes)}")
    with adding_chunks(observer.check), Index(path, summary.index_digest) as index:
        exchange.each(sender.unsent(index), sender.send, total_bytes=total_bytes)
        exchange.once(lambda: remote.put_file(f"{INDEXES}/{path.name}", path))
        wait_for_collections(observer.check)
        exchange.each(sender.doubtful(index), sender.send, total_bytes=total_bytes)
    observer.say(f"The bucket {remote.name} has all of it")
