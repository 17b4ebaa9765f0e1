"""Ends runs and actions whose process is gone: proves the device free, cleans up, and says `interrupted`."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import cast

import structlog
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from patina.action.models import Action
from patina.db import transaction
from patina.device import lease
from patina.device.lease import DeviceBusy, LeaseLost
from patina.device.models import Device, Lease
from patina.run.models import Run
from patina.run.state import RunState
from patina_worker import action_end, file_system, node, outcome
from patina_worker.age import mount_folder
from patina_worker.claim import Claim, lease_ttl
from patina_worker.failure import DeviceMissing, UnmountFailed
from patina_worker.safety import Target, is_there, target_of

_ACTIVE = (RunState.RUNNING, RunState.PAUSED, RunState.CANCELING)

_ACTION_MESSAGE = "Interrupted: the worker died while it worked on the device. Start it again."

log = structlog.get_logger()


@dataclass(frozen=True)
class Work:
    """A run or an action that somebody on this host works on, or did when it died."""

    table: type[Run] | type[Action]
    id: int
    lease_id: int

    @property
    def name(self) -> str:
        return f"{self.table.__tablename__} {self.id}"


def active_work(*, host_id: int) -> list[Work]:
    """What is active on this host."""
    with transaction() as session:
        return _active(session, host_id)


def _active(session: Session, host_id: int) -> list[Work]:
    tables: tuple[type[Run] | type[Action], ...] = (Run, Action)
    return [
        Work(table, *row)
        for table in tables
        for row in session.execute(
            select(table.id, Lease.id)
            .join(Lease, table.lease_id == Lease.id)
            .join(Device, table.device_id == Device.id)
            .where(Device.host_id == host_id, table.state.in_(_ACTIVE))
        )
    ]


def interrupt_dead_work(*, host_id: int, known_dead: Collection[Work]) -> list[Work]:
    """What nobody works on any more, ended: known dead, or with a lease that has expired."""
    with transaction() as session:
        expired = set(
            session.scalars(select(Lease.id).where(Lease.released_at.is_(None), Lease.expires_at < func.now()))
        )
        dead = {(work.table, work.id) for work in known_dead}
        found = [
            work for work in _active(session, host_id) if work.lease_id in expired or (work.table, work.id) in dead
        ]
    return [work for work in found if _interrupt_alone(work)]


def _interrupt_alone(work: Work) -> bool:
    """A malformed row keeps no other from its end. It is tried again with the next heartbeat."""
    try:
        return _interrupt(work)
    except SQLAlchemyError:
        raise
    except Exception:
        log.exception("not interrupted", work=work.name)
        return False


def _interrupt(work: Work) -> bool:
    """One of them; False when its process still holds the device and must be waited for."""
    target = _target_of(work)
    try:
        with node.held(target.path):
            _take_over(work, target)
    except DeviceBusy:
        if is_there(target):
            log.warning("a dead process's child still holds its device; waiting", work=work.name, path=target.path)
            return False
        _take_over(work, target)  # what is held is another device, which has the name by now
    except DeviceMissing:
        _take_over(work, target)
    return True


def _target_of(work: Work) -> Target:
    with transaction() as session:
        begun = cast("Run | Action", session.get_one(work.table, work.id))
        return target_of(begun.device, begun.confirmed)


def _take_over(work: Work, target: Target) -> None:
    with transaction() as session:
        fence = lease.seize(session=session, lease_id=work.lease_id, ttl=lease_ttl())
    if fence is None:
        return
    message = _clean_up_run(work.id) if work.table is Run else _ACTION_MESSAGE
    after = outcome.look_for(target)
    claim = Claim(lease_id=work.lease_id, fence=fence)
    ended = outcome.interrupted(message)

    def _record(session: Session) -> None:
        if work.table is Run:
            outcome.record(session=session, run_id=work.id, outcome=ended, after=after)
        else:
            action_end.record(session=session, action_id=work.id, outcome=ended, after=after)

    try:
        claim.write(_record)
    except LeaseLost as error:
        log.warning("somebody else ended it meanwhile", work=work.name, error=error.message)
    else:
        log.info("interrupted", work=work.name, path=target.path)


def _clean_up_run(run_id: int) -> str:
    """Unmounts what it had mounted. What its log will say."""
    try:
        if mount_folder(run_id).is_mount():
            file_system.unmount(mount_folder(run_id))
    except UnmountFailed as error:
        return f"Interrupted: the worker died while it ran. {error.message}"
    return "Interrupted: the worker died while it ran. The device is unmounted and free."
