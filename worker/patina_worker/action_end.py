"""How an action ended, written once: state, device and lease in one transaction."""

from sqlalchemy.orm import Session

from patina.action.models import Action
from patina.action.state import try_move
from patina.device import lease
from patina.device.models import Device
from patina_worker.outcome import DeviceAfter, Outcome, note_device


def record(*, session: Session, action_id: int, outcome: Outcome, after: DeviceAfter) -> None:
    """The end of the action. Call it in a transaction that holds the lease."""
    # Locked: a request to stop that comes now waits, and finds the action ended.
    action = session.get_one(Action, action_id, populate_existing=True, with_for_update={"of": Action})
    action.error_log = outcome.error_log
    moved = try_move(
        session=session,
        action=action,
        from_state=action.state,
        to_state=outcome.state,
        message=outcome.message,
        error_code=outcome.error_code,
    )
    assert moved, f"action {action_id} moved under its lock"
    note_device(session, session.get_one(Device, action.device_id), after, has_written=outcome.has_written)
    session.flush()
    lease.release(session=session, lease_id=action.lease_id)
