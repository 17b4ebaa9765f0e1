"""Who may touch a device now: a lease claimed by this process, renewed while it lives, guarded in every write."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

import structlog
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from patina.db import transaction
from patina.device import lease
from patina.device.lease import LeaseLost
from patina.job.models import Job
from patina.job.state import WORKED_ON
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
    """The right to work on a job: a claimed lease. Once lost it stays lost: somebody else may hold the device."""

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
                    self._guard(session)
                    return action(session)
            except OperationalError as error:
                log.warning("database away; trying again", error=str(error.orig))
                time.sleep(RETRY_PAUSE_S)

    def _guard(self, session: Session) -> None:
        """LeaseLost, unless it is still held; it then is until the transaction ends."""
        lease.guard(session=session, lease_id=self.lease_id, fence=self.fence)

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


class AttemptClaim(Claim):
    """Of a job without a device. It lasts while the job is in this attempt: whoever ends the job takes it away. That a
    process works on it is shown by a lock (lock.py), so there is nothing to renew."""

    def __init__(self, *, job_id: int, attempt: int) -> None:
        super().__init__(lease_id=0, fence=0)
        self.job_id = job_id
        self.attempt = attempt

    def check(self) -> None:
        """Nothing of it runs out."""

    def _guard(self, session: Session) -> None:
        is_ours = (Job.id == self.job_id) & (Job.attempt == self.attempt) & Job.state.in_(WORKED_ON)
        if session.scalar(select(Job.id).where(is_ours).with_for_update()) is None:
            raise LeaseLost(f"Job {self.job_id} was ended by somebody else, who goes on.")

    @contextmanager
    def renewed(self) -> Iterator[None]:
        yield
