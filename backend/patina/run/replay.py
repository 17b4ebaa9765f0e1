"""Operation logs: which runs have one, and which devices can replay it."""

from sqlalchemy.orm import Session

from patina.account.visibility import is_seen
from patina.device.models import Device
from patina.errors import PatinaError
from patina.figures import in_bytes
from patina.job.state import ENDED
from patina.run.models import Run
from patina.run.settings import SharedSettings

OperationLogMissing = PatinaError.of("operation_log_missing", "The operation log is not there", status=409)
ReplayTooLarge = PatinaError.of("replay_too_large", "The device is too small for the operation log", status=409)


def check_replay(*, session: Session, device: Device, settings: SharedSettings, capacity_bytes: int) -> None:
    """Refuses a replay that cannot start on the device. Raises OperationLogMissing, ReplayTooLarge."""
    if settings.replay_of is None:
        return
    recorded = session.get(Run, settings.replay_of)
    if recorded is None or not is_seen(recorded) or not _has_log(recorded, survivors=settings.survivors):
        raise OperationLogMissing(
            f"There is no operation log of run {settings.replay_of}. Choose a run that kept its log, or age again and "
            "keep it."
        )
    if recorded.host_id != device.host_id:
        raise OperationLogMissing(
            f"The operation log of run {recorded.id} is on host {recorded.host.name}. Choose a device of that host."
        )
    if recorded.summary is not None and recorded.summary["live_bytes"] >= capacity_bytes:
        raise ReplayTooLarge(
            f"Run {recorded.id} left {in_bytes(recorded.summary['live_bytes'])} of files; the device has room for "
            f"about {in_bytes(capacity_bytes)}. Choose a larger device."
        )


def _has_log(run: Run, *, survivors: bool) -> bool:
    """Returns whether the run has, or will have once it has ended, the log that is to be replayed."""
    if run.state not in ENDED:
        return survivors or run.in_force.keeps_log
    if run.operation_log_bytes is not None and run.summary is not None:
        return True
    return survivors and run.survivors_bytes is not None and run.summary is not None
