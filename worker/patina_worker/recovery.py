"""Ends runs whose process is gone: proves the device free, cleans up, and says `interrupted`."""

from collections.abc import Collection

import structlog
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from patina.db import transaction
from patina.device import lease
from patina.device.lease import DeviceBusy, LeaseLost
from patina.device.models import Device, Lease
from patina.run.models import Run
from patina.run.state import RunState
from patina_worker import ext4, node, outcome
from patina_worker.age import mount_folder
from patina_worker.claim import Claim, lease_ttl
from patina_worker.failure import DeviceMissing, UnmountFailed

_ACTIVE = (RunState.RUNNING, RunState.PAUSED, RunState.CANCELING)

log = structlog.get_logger()


def active_runs(*, host_id: int) -> list[int]:
    """Runs that somebody on this host works on, or did when it died."""
    with transaction() as session:
        return list(session.scalars(_active(host_id).with_only_columns(Run.id)))


def _active(host_id: int) -> Select[Run]:
    return (
        select(Run)
        .join(Device, Run.device_id == Device.id)
        .join(Lease, Run.lease_id == Lease.id)
        .where(Device.host_id == host_id, Run.state.in_(_ACTIVE))
    )


def interrupt_dead_runs(*, host_id: int, known_dead: Collection[int]) -> list[int]:
    """Runs of this host that nobody works on any more, ended: known dead, or with a lease that has expired."""
    with transaction() as session:
        is_dead = Run.id.in_(known_dead) | (Lease.expires_at < func.now())
        runs = session.scalars(_active(host_id).where(is_dead))
        found = [(run.id, run.lease_id, run.device.path) for run in runs]
    return [run_id for run_id, lease_id, path in found if _interrupt(run_id, lease_id, path)]


def _interrupt(run_id: int, lease_id: int, path: str | None) -> bool:
    """One of them; False when its process still holds the device and must be waited for."""
    try:
        with node.held(path or ""):
            _take_over(run_id, lease_id, path)
    except DeviceBusy:
        log.warning("a process of a dead run still holds its device; waiting", run_id=run_id, path=path)
        return False
    except DeviceMissing:
        _take_over(run_id, lease_id, path)
    return True


def _take_over(run_id: int, lease_id: int, path: str | None) -> None:
    with transaction() as session:
        fence = lease.seize(session=session, lease_id=lease_id, ttl=lease_ttl())
    if fence is None:
        return
    message = "Interrupted: the worker died while it ran. The device is unmounted and free; start the run again."
    try:
        if mount_folder(run_id).is_mount():
            ext4.unmount(mount_folder(run_id))
    except UnmountFailed as error:
        message = f"Interrupted: the worker died while it ran. {error.message}"
    after = outcome.look_at(path)
    claim = Claim(lease_id=lease_id, fence=fence)
    ended = outcome.interrupted(message)

    def _record(session: Session) -> None:
        outcome.record(session=session, run_id=run_id, outcome=ended, after=after)

    try:
        claim.write(_record)
    except LeaseLost as error:
        log.warning("somebody else ended the run meanwhile", run_id=run_id, error=error.message)
    else:
        log.info("run interrupted", run_id=run_id, path=path)
