"""Sends messages again for work that waits too long: a message may be lost, the row is not."""

import time
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, DateTime, func, select
from sqlalchemy.orm import Session

from patina.device.models import Device, Lease
from patina.device.state import DeviceCondition
from patina.host.models import Host
from patina.job.models import Job
from patina.job.state import JobState
from patina.queue import TaskName, enqueue

PATIENCE_S = 15.0
LONGEST_PAUSE_S = 600.0


class Reminder:
    """Sends reminders, with a pause that doubles for each row, because all slots of the worker may be taken."""

    def __init__(self) -> None:
        self._sent: dict[tuple[TaskName, int], tuple[float, float]] = {}

    def send(self, *, session: Session, host: Host) -> int:
        """Sends the due messages. Returns their number."""
        waiting = [*_queued(session, host), *_waiting_sandboxes(session, host)]
        self._sent = {key: sent for key, sent in self._sent.items() if key in waiting}
        due = [key for key in waiting if self._is_due(key)]
        for task, row_id in due:
            enqueue(session, task, row_id, host_name=host.name)
        return len(due)

    def _is_due(self, key: tuple[TaskName, int]) -> bool:
        now = time.monotonic()
        at, pause_s = self._sent.get(key, (0.0, PATIENCE_S / 2))
        if key in self._sent and now - at < pause_s:
            return False
        self._sent[key] = (now, min(pause_s * 2, LONGEST_PAUSE_S))
        return True


def _old() -> ColumnElement[datetime]:
    """Returns the limit by the database's clock, like the times compared with it: a host's clock may be stepped."""
    return func.now() - timedelta(seconds=PATIENCE_S)


def _queued(session: Session, host: Host) -> list[tuple[TaskName, int]]:
    ids = session.scalars(
        select(Job.id).where(
            Job.host_id == host.id,
            Job.state == JobState.QUEUED,
            Job.touched_at < _old(),
            Job.device_id.is_(None) | Job.lease_id.is_not(None),
        )
    )
    return [("work", job_id) for job_id in ids]


def _waiting_sandboxes(session: Session, host: Host) -> list[tuple[TaskName, int]]:
    creating = session.scalars(
        select(Device.id).where(
            Device.host_id == host.id, Device.condition == DeviceCondition.CREATING, Device.created_at < _old()
        )
    )
    removing = session.scalars(
        select(Device.id)
        .join(Lease, Lease.device_id == Device.id)
        .where(
            Device.host_id == host.id,
            Device.condition == DeviceCondition.REMOVING,
            Lease.released_at.is_(None),
            Lease.acquired_at < _old(),
            Lease.expires_at.is_(None) | (Lease.expires_at < func.now()),
        )
    )
    failing = session.scalars(
        select(Device.id).where(
            Device.host_id == host.id,
            Device.fault["done_at"].astext.is_(None),
            Device.fault["asked_at"].astext.cast(DateTime(timezone=True)) < _old(),
        )
    )
    return [
        *(("make_sandbox", i) for i in creating),
        *(("remove_sandbox", i) for i in removing),
        *(("inject_fault", i) for i in failing),
    ]
