"""Who may touch a device now: a lease claimed by this process, renewed while it lives, guarded in every write."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

import structlog
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from patina.db import transaction
from patina.device import lease
from patina.device.lease import LeaseLost
from patina.settings import settings

RENEWALS_PER_TTL = 4
STOP_S = 5.0  # a holder stops itself so long before others may have the device: its core has to end first
RETRY_PAUSE_S = 1.0

Answer = TypeVar("Answer")

log = structlog.get_logger()


def lease_ttl() -> timedelta:
    """How long a lease outlives its last renewal."""
    return timedelta(seconds=settings().lease_s)


class Claim:
    """A claimed lease. Once lost it stays lost: somebody else may hold the device already."""

    def __init__(self, *, lease_id: int, fence: int) -> None:
        self.lease_id = lease_id
        self.fence = fence
        self._lost: str | None = None
        self._renewed_at = time.monotonic()
        self._is_over = threading.Event()

    def check(self) -> None:
        """LeaseLost when it is lost, or could not be renewed in time."""
        if self._lost is not None:
            raise LeaseLost(self._lost)
        if time.monotonic() - self._renewed_at > settings().lease_s - STOP_S:
            raise LeaseLost(f"Lease {self.lease_id} expired: the database could not be reached in time.")

    def write(self, action: Callable[[Session], Answer]) -> Answer:
        """`action` in one transaction of the lease's holder; tried again while the database is away."""
        while True:
            self.check()
            try:
                with transaction() as session:
                    lease.guard(session=session, lease_id=self.lease_id, fence=self.fence)
                    return action(session)
            except OperationalError as error:
                log.warning("database away; trying again", lease_id=self.lease_id, error=str(error.orig))
                time.sleep(RETRY_PAUSE_S)

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Renewed from a thread of its own, so that a long step does not lose the device."""
        thread = threading.Thread(target=self._renew, name=f"lease-{self.lease_id}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            thread.join()

    def _renew(self) -> None:
        while not self._is_over.wait(settings().lease_s / RENEWALS_PER_TTL) and self._lost is None:
            asked_at = time.monotonic()  # before the database counts from it
            try:
                with transaction() as session:
                    lease.renew(session=session, lease_id=self.lease_id, fence=self.fence, ttl=lease_ttl())
                self._renewed_at = asked_at
            except OperationalError as error:
                log.warning("lease not renewed", lease_id=self.lease_id, error=str(error.orig))
            except LeaseLost as error:
                self._lost = error.message
