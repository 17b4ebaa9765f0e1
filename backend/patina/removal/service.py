"""Takes a host that is gone for good out of the lists, and ends what was under way there.

Only when no worker can work there any more: its lease is checked before each write and ends its work by the worker's
own clock, so whatever has an expired lease has stopped, also behind a cut cable.
"""

from collections.abc import Iterator

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from patina.action.models import Action
from patina.action.state import try_move as try_move_action
from patina.collection.models import Collection
from patina.device import lease
from patina.device.models import Device, Lease
from patina.errors import NotFound, PatinaError
from patina.host.models import Host
from patina.intake.models import Intake, IntakeState
from patina.intake.state import try_move as try_move_intake
from patina.run import journal
from patina.run.models import Run
from patina.run.state import RunState
from patina.scan.models import Scan
from patina.scan.state import ACTIVE, ScanState

_ENDS = {
    RunState.QUEUED: RunState.CANCELED,
    RunState.RUNNING: RunState.INTERRUPTED,
    RunState.PAUSED: RunState.INTERRUPTED,
    RunState.CANCELING: RunState.CANCELED,
    RunState.INTERRUPTED: RunState.INTERRUPTED,
}
_INTAKE_ENDS = {
    IntakeState.UPLOADING: IntakeState.CANCELED,
    IntakeState.QUEUED: IntakeState.CANCELED,
    IntakeState.RUNNING: IntakeState.INTERRUPTED,
    IntakeState.CANCELING: IntakeState.CANCELED,
}


class NoSuchHost(NotFound):
    code = "no_such_host"
    title = "No such host"


class HostAlive(PatinaError):
    code = "host_alive"
    status = 409
    title = "The host is alive"


class HostInUse(PatinaError):
    code = "host_in_use"
    status = 409
    title = "The host may still be at work"


def remove_host(*, session: Session, host_id: int) -> Host:
    """Removed again, it stays as it is. NoSuchHost, HostAlive or HostInUse."""
    host = session.get(Host, host_id, with_for_update=True)
    if host is None:
        raise NoSuchHost(f"There is no host {host_id}. Look at the list of hosts.")
    if host.removed_at is not None:
        return host
    if host.is_healthy:
        raise HostAlive(f"Host {host.name} was heard just now. Stop its worker, then remove it.")
    _require_no_work(session, host)
    said = f"Host {host.name} was removed"
    _end_runs(session, host, said)
    _end_actions(session, host, said)
    _end_the_rest(session, host, said)
    host.removed_at = func.now()
    session.flush()
    session.refresh(host)
    return host


def _leases(session: Session, host: Host) -> Iterator[Lease]:
    yield from session.scalars(
        select(Lease)
        .join(Device, Lease.device_id == Device.id)
        .where(Device.host_id == host.id, Lease.released_at.is_(None))
        .order_by(Lease.id)
        .with_for_update(of=Lease)
    )


def _require_no_work(session: Session, host: Host) -> None:
    living = session.execute(
        select(Lease.holder, Lease.expires_at)
        .join(Device, Lease.device_id == Device.id)
        .where(Device.host_id == host.id, Lease.released_at.is_(None), Lease.expires_at > func.now())
        .order_by(Lease.expires_at.desc())
    ).first()
    if living is not None:
        raise HostInUse(
            f"Host {host.name} is silent, but {living.holder} may still go on there: its lease ends at "
            f"{living.expires_at:%H:%M:%S %Z}. Try again then."
        )


def _end_runs(session: Session, host: Host, said: str) -> None:
    """Runs that were on their way are interrupted, for what they made may still be on the device; others canceled."""
    held_there = list(_leases(session, host))
    runs = session.scalars(
        select(Run).join(Device, Run.device_id == Device.id).where(Device.host_id == host.id, Run.state.in_(_ENDS))
    ).all()
    for run in runs:
        run.resumes_left_count = 0
        if run.state != RunState.INTERRUPTED:
            journal.move(session=session, run=run, from_state=run.state, to_state=_ENDS[run.state], message=said)
    for held in held_there:
        held.fence += 1  # whoever held it writes no more
        session.flush()
        lease.release(session=session, lease_id=held.id)


def _end_actions(session: Session, host: Host, said: str) -> None:
    actions = session.scalars(
        select(Action)
        .join(Device, Action.device_id == Device.id)
        .where(Device.host_id == host.id, Action.state.in_(_ENDS), Action.state != RunState.INTERRUPTED)
    ).all()
    for action in actions:
        try_move_action(
            session=session, action=action, from_state=action.state, to_state=_ENDS[action.state], message=said
        )


def _end_the_rest(session: Session, host: Host, said: str) -> None:
    """Imports on their way there, scans and collections."""
    intakes = session.scalars(select(Intake).where(Intake.host_id == host.id, Intake.state.in_(_INTAKE_ENDS))).all()
    for intake in intakes:
        try_move_intake(
            session=session,
            intake=intake,
            from_state=intake.state,
            to_state=_INTAKE_ENDS[intake.state],
            message=said,
        )
    session.execute(
        update(Scan)
        .where(Scan.host_id == host.id, Scan.state.in_(ACTIVE))
        .values(state=ScanState.INTERRUPTED, finished_at=func.now())
        .execution_options(synchronize_session=False)
    )
    session.execute(
        update(Collection)
        .where(Collection.host_id == host.id, Collection.state.in_((RunState.QUEUED, RunState.RUNNING)))
        .values(state=RunState.INTERRUPTED, finished_at=func.now())
        .execution_options(synchronize_session=False)
    )
