"""The right to touch a device: a lease claimed by this process, renewed while it lives, checked in every write."""

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
STOP_S = 5.0  # a holder stops so long before its lease expires: its core has to end first
RETRY_PAUSE_S = 1.0

Answer = TypeVar("Answer")

log = structlog.get_logger()


def lease_ttl() -> timedelta:
    """Returns how long a lease outlives its last renewal."""
    return timedelta(seconds=settings().lease_s)


class Claim:
    """The right to work on a job: a claimed lease. Once lost it stays lost: another job may hold the device."""

    def __init__(self, *, lease_id: int, fence: int) -> None:
        self.lease_id = lease_id
        self.fence = fence
        self._lost: str | None = None
        self._renewed_at = time.monotonic()
        self._is_over = threading.Event()

    def check(self) -> None:
        """Raises LeaseLost when it is lost, or could not be renewed in time."""
        if self._lost is not None:
            raise LeaseLost(self._lost)
        if time.monotonic() - self._renewed_at > settings().lease_s - STOP_S:
            raise LeaseLost(f"Lease {self.lease_id} expired: the database could not be reached in time.")

    def write(self, action: Callable[[Session], Answer]) -> Answer:
        """Runs `action` in one transaction of the lease's holder; retries while the database is unavailable."""
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
        """Raises LeaseLost unless the lease is held, which then lasts until the transaction ends."""
        lease.guard(session=session, lease_id=self.lease_id, fence=self.fence)

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Renews the lease from a thread of its own, so that a long step does not lose the device."""
        thread = threading.Thread(target=self._renew, name=f"lease-{self.lease_id}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            thread.join()

    def _renew(self) -> None:
        while not self._is_over.wait(settings().lease_s / RENEWALS_PER_TTL) and self._lost is None:
            asked_at = time.monotonic()  # before the database starts the new period
            try:
                with transaction() as session:
                    lease.renew(session=session, lease_id=self.lease_id, fence=self.fence, ttl=lease_ttl())
                self._renewed_at = asked_at
            except OperationalError as error:
                log.warning("lease not renewed", lease_id=self.lease_id, error=str(error.orig))
            except LeaseLost as error:
                self._lost = error.message


class AttemptClaim(Claim):
    """The claim of a job without a device. It lasts while the job is in this attempt, until a process ends the job. A
    lock (lock.py) proves that a process works on it, so there is nothing to renew."""

    def __init__(self, *, job_id: int, attempt: int) -> None:
        super().__init__(lease_id=0, fence=0)
        self.job_id = job_id
        self.attempt = attempt

    def check(self) -> None:
        """Does nothing: this claim does not expire."""

    def _guard(self, session: Session) -> None:
        is_ours = (Job.id == self.job_id) & (Job.attempt == self.attempt) & Job.state.in_(WORKED_ON)
        if session.scalar(select(Job.id).where(is_ours).with_for_update()) is None:
            raise LeaseLost(f"Job {self.job_id} was ended by another process.")

    @contextmanager
    def renewed(self) -> Iterator[None]:
        yield
