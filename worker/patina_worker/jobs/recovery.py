"""Ends jobs whose process is gone: proves the device free, cleans up, and marks them interrupted."""

from collections.abc import Collection
from dataclasses import dataclass

import structlog
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from patina.db import transaction
from patina.device import lease
from patina.device.lease import DeviceBusy, LeaseLost
from patina.device.models import Lease
from patina.job.models import Job
from patina.job.state import WORKED_ON
from patina_worker.failure import DeviceMissing
from patina_worker.host import device_node
from patina_worker.host.device_row import look_for
from patina_worker.host.write_check import Target, is_there, target_of
from patina_worker.jobs import lock, outcome
from patina_worker.jobs.claim import AttemptClaim, Claim, lease_ttl
from patina_worker.jobs.handler import HANDLERS

log = structlog.get_logger()


@dataclass(frozen=True)
class Work:
    """A job in an active state on this host; its process may be dead."""

    id: int
    kind: str
    attempt: int
    lease_id: int | None

    @property
    def label(self) -> str:
        return f"{self.kind} {self.id}"


def active_work(*, host_id: int) -> list[Work]:
    """Returns the active jobs of this host."""
    with transaction() as session:
        return _active(session, host_id)


def _active(session: Session, host_id: int) -> list[Work]:
    columns = (Job.id, Job.kind, Job.attempt, Job.lease_id)
    rows = session.execute(select(*columns).where(Job.host_id == host_id, Job.state.in_(WORKED_ON)).order_by(Job.id))
    return [Work(*row) for row in rows]


def interrupt_dead_work(*, host_id: int, known_dead: Collection[Work]) -> list[Work]:
    """Ends jobs without a process: known dead, with an expired lease, or without a lock. Returns the ended ones."""
    with transaction() as session:
        expired = set(
            session.scalars(select(Lease.id).where(Lease.released_at.is_(None), Lease.expires_at < func.now()))
        )
        active = _active(session, host_id)
    dead = {(work.id, work.attempt) for work in known_dead}
    found = [
        work
        for work in active
        if (work.lease_id is None and not lock.is_held(work.id))
        or (work.lease_id is not None and (work.lease_id in expired or (work.id, work.attempt) in dead))
    ]
    return [work for work in found if _interrupt_alone(work)]


def _interrupt_alone(work: Work) -> bool:
    """Ends one job. A malformed row does not stop the others; the next heartbeat tries again."""
    try:
        return _interrupt_locked(work) if work.lease_id is None else _interrupt(work, work.lease_id)
    except SQLAlchemyError:
        raise
    except Exception:
        log.exception("not interrupted", work=work.label)
        return False


def _interrupt_locked(work: Work) -> bool:
    """Ends a job without a device; False when another process has begun it again meanwhile."""
    with lock.held(work.id) as descriptor:
        if descriptor is None:
            return False
        _end(work, AttemptClaim(job_id=work.id, attempt=work.attempt), None)
    return True


def _interrupt(work: Work, lease_id: int) -> bool:
    """Ends a job with a device; False while a process of it still holds the device."""
    target = _target_of(work)
    try:
        with device_node.held(target.path):
            _take_over(work, lease_id, target)
    except DeviceBusy:
        if is_there(target):
            log.warning("a dead process's child still holds its device; waiting", work=work.label, path=target.path)
            return False
        _take_over(work, lease_id, target)  # another device has the name by now
    except DeviceMissing:
        _take_over(work, lease_id, target)
    return True


def _target_of(work: Work) -> Target:
    with transaction() as session:
        job = session.get_one(Job, work.id)
        return target_of(job.device, job.confirmed or {})


def _take_over(work: Work, lease_id: int, target: Target) -> None:
    with transaction() as session:
        fence = lease.seize(session=session, lease_id=lease_id, ttl=lease_ttl())
    if fence is not None:
        _end(work, Claim(lease_id=lease_id, fence=fence), target)


def _end(work: Work, claim: Claim, target: Target | None) -> None:
    ended = outcome.interrupted(HANDLERS[work.kind].clean_up(work.id))
    after = None if target is None else look_for(target)
    try:
        claim.write(lambda session: outcome.record(session=session, job_id=work.id, outcome=ended, after=after))
    except LeaseLost as error:
        log.warning("another process ended it meanwhile", work=work.label, error=error.message)
    else:
        log.info("interrupted", work=work.label, path=None if target is None else target.path)
