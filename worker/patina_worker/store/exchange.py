"""Moves chunks between this host and the bucket: in parallel, with retries, stoppable."""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeVar

from patina.bucket.refusal import BucketFull, BucketRefusal, BucketUnreachable
from patina.core.contract.age import Progress
from patina.core.failure import Stopped

THREADS_COUNT = 16
WAITING_COUNT = 64  # items submitted ahead; a stop waits only for those under way
TICK_S = 0.2
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 15.0

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Observer:
    """Receives progress and problems, and decides whether to stop."""

    check: Callable[[], bool]
    progress: Callable[[int, int], None]
    say: Callable[[str], None]

    def core_record(self, record: object) -> None:
        """Reports the progress of a command of the core."""
        if isinstance(record, Progress):
            self.progress(record.done_bytes, record.total_bytes)


class Exchange:
    """Transfers with one bucket. Only the calling thread uses the observer."""

    def __init__(self, *, patience_s: float, observer: Observer) -> None:
        self._patience_s = patience_s
        self._observer = observer
        self._lock = threading.Lock()
        self._bad_since: float | None = None
        self._complaint: BucketRefusal | None = None
        self._is_over = threading.Event()
        self._done_bytes = 0

    def each(self, items: Iterable[Item], work: Callable[[Item], int], *, total_bytes: int) -> None:
        """Calls `work` on all items; it returns the bytes done. Its first exception ends the transfer."""
        pool = ThreadPoolExecutor(THREADS_COUNT, thread_name_prefix="bucket")
        waiting: set[Future[int]] = set()

        def _settle(limit: int) -> None:
            nonlocal waiting
            while len(waiting) > limit:
                done, waiting = wait(waiting, timeout=TICK_S, return_when=FIRST_COMPLETED)
                self._done_bytes += sum(future.result() for future in done)
                if total_bytes:
                    self._observer.progress(min(self._done_bytes, total_bytes), total_bytes)
                self._look_up()

        try:
            for item in items:
                waiting.add(pool.submit(self.patiently, work, item))
                _settle(WAITING_COUNT - 1)
            _settle(0)
        finally:
            self._is_over.set()
            pool.shutdown(wait=False, cancel_futures=True)
            self._is_over = threading.Event()

    def once(self, work: Callable[[], None]) -> None:
        """Calls `work` once, in the same way."""

        def _work(_: None) -> int:
            work()
            return 0

        self.each([None], _work, total_bytes=0)

    def _look_up(self) -> None:
        with self._lock:
            complaint, self._complaint = self._complaint, None
        if complaint is not None:
            self._observer.say(f"{complaint.message} Trying for {self._patience_s:g} s; nothing is lost meanwhile.")
        if self._observer.check():
            raise Stopped("Stopped while chunks were on their way to or from the bucket. What has arrived stays.")

    def patiently(self, work: Callable[[Item], Answer], item: Item) -> Answer:
        """Retries `work` while the bucket is unreachable or full, for `patience_s`. Thread-safe."""
        is_over, pause_s = self._is_over, FIRST_PAUSE_S
        while True:
            try:
                answer = work(item)
            except (BucketUnreachable, BucketFull) as error:
                if is_over.is_set() or self._is_hopeless(error):
                    raise
                is_over.wait(pause_s)
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
            else:
                self._bad_since = None
                return answer

    def _is_hopeless(self, error: BucketRefusal) -> bool:
        with self._lock:
            if self._bad_since is None:
                self._bad_since, self._complaint = time.monotonic(), error
            return time.monotonic() - self._bad_since >= self._patience_s
