"""Runs one job: claim, handle, end. A message contains only an id; the database decides."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import structlog
from sqlalchemy.orm import Session

from patina.core.failure import Stopped
from patina.db import transaction
from patina.device import lease
from patina.device.lease import LeaseLost
from patina.device.users import require_usable_by_account
from patina.errors import PatinaError
from patina.job import journal
from patina.job.kind import KINDS
from patina.job.models import Job
from patina.job.state import JobState
from patina.settings import settings
from patina_worker.failure import JobCanceled, WorkerStopping
from patina_worker.host import device_node, full_disk
from patina_worker.host.device_row import look_for
from patina_worker.host.write_check import Target, check_may_write, target_of
from patina_worker.jobs import lock, outcome
from patina_worker.jobs.claim import AttemptClaim, Claim, lease_ttl
from patina_worker.jobs.handler import HANDLERS
from patina_worker.jobs.log import JobLog
from patina_worker.jobs.outcome import Outcome

log = structlog.get_logger()


@dataclass(frozen=True)
class _Begun:
    job: Job
    claim: Claim


def work(job_id: int) -> None:
    """Does a job of this host. Called twice, it does it once."""
    with _lock_of(job_id) as (is_free, descriptor):
        begun = _begin(job_id) if is_free else None
        if begun is None:
            return
        with begun.claim.renewed():
            try:
                job_log = JobLog(job_id=job_id, claim=begun.claim)
                ended, target = _directed(begun.job, job_log, descriptor)
                ended = replace(ended, has_written=job_log.has_written)
                after = None if target is None else look_for(target)
                begun.claim.write(
                    lambda session: outcome.record(session=session, job_id=job_id, outcome=ended, after=after)
                )
            except LeaseLost as error:
                log.warning("claim lost; another process ends the job", job_id=job_id, error=error.message)


@contextmanager
def _lock_of(job_id: int) -> Iterator[tuple[bool, int | None]]:
    """Takes the lock of a job without a device before it runs, so that a running job without a lock is dead."""
    with transaction() as session:
        job = session.get(Job, job_id)
    if job is None or job.device_id is not None:
        yield job is not None, None
        return
    with lock.held(job_id) as descriptor:
        yield descriptor is not None, descriptor


def _begin(job_id: int) -> _Begun | None:
    """Claims the job and its lease; None when another process was faster, or it is not queued, or not this worker's:
    any client of the broker can put any message into any queue."""
    with transaction() as session:
        job = session.get_one(Job, job_id)
        if job.host.name != settings().host_name or job.kind not in HANDLERS or job.is_waiting:
            return None
        fence = None
        if job.lease_id is not None:
            fence = lease.claim(session=session, lease_id=job.lease_id, ttl=lease_ttl())
            if fence is None:
                return None
        if not _move(session, job):
            session.rollback()
            return None
        if job.lease_id is None or fence is None:
            return _Begun(job, AttemptClaim(job_id=job.id, attempt=job.attempt))
        return _Begun(job, Claim(lease_id=job.lease_id, fence=fence))


def _move(session: Session, job: Job) -> bool:
    return journal.try_move(
        session=session,
        job=job,
        from_state=JobState.QUEUED,
        to_state=JobState.RUNNING,
        message=f"Started on {job.host.name}",
        attempt=Job.attempt + 1,
    )


def _directed(job: Job, job_log: JobLog, descriptor: int | None) -> tuple[Outcome, Target | None]:
    """Runs the handler; returns its outcome and the job's device. Every error but a lost claim is a final state."""
    target, began = None, time.monotonic()
    try:
        if job.device is not None:
            _require_usable(job)
            target = target_of(job.device, job.confirmed or {})
        request = KINDS[job.kind].request.model_validate(job.request)
        with _device(target, descriptor) as held:
            return outcome.succeeded(HANDLERS[job.kind].handle(request, job_log, held)), target
    except JobCanceled as end:
        return outcome.canceled(str(end)), target
    except WorkerStopping as end:
        return outcome.interrupted(str(end)), target
    except LeaseLost:
        raise
    except PatinaError as error:
        return _refused(error, job_log, target, began), target
    except Exception as error:
        log.exception("a job failed unexpectedly", job_id=job.id, kind=job.kind)
        return outcome.failed_by_bug(error), target


def _require_usable(job: Job) -> None:
    """Raises DeviceNotYours if the account of the job may no longer use its device: it waited, or was interrupted."""
    with transaction() as session:
        require_usable_by_account(session=session, device=job.device, account_id=job.account_id)


@contextmanager
def _device(target: Target | None, descriptor: int | None) -> Iterator[int]:
    """Yields the descriptor that the job's programs inherit: of its locked device, or of the job's lock."""
    if target is None:
        assert descriptor is not None
        yield descriptor
        return
    with device_node.held(target.path) as held:
        check_may_write(target)
        yield held


def _refused(error: PatinaError, job_log: JobLog, target: Target | None, began: float) -> Outcome:
    if error.code != Stopped.code:
        return outcome.failed(error if target is None else full_disk.why(error, target=target, began=began))
    if job_log.is_stop_requested:
        return outcome.canceled(error.message)
    return outcome.interrupted(f"The worker was stopped. {error.message}")
