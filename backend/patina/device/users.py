"""Who may use a device: every member, the members of a team, operators alone. Operators may use each.

Checked when a job is started, by its sender's role and teams, and by the worker when it begins a job, by those that the
job's account has then.
"""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from patina.account.team import get_team
from patina.account.visibility import TeamMissing
from patina.device.models import Device
from patina.device.schemas import DeviceUse
from patina.device.state import DeviceUsers
from patina.errors import PatinaError

DeviceNotYours = PatinaError.of("device_not_yours", "You may not use this device", status=403)


def require_usable(device: Device) -> None:
    """Raises DeviceNotYours if the sender of this request may not use the device."""
    if not device.is_usable:
        raise _not_yours(device, "You")


def require_usable_by_account(*, session: Session, device: Device, account_id: int | None) -> None:
    """Raises DeviceNotYours if the account may no longer use the device. The database decides: hosts may not read
    accounts."""
    if not session.scalar(select(func.may_use_device(account_id, device.id))):
        raise _not_yours(device, "The account that asked for it")


def _not_yours(device: Device, who: str) -> PatinaError:
    users = "operators alone" if device.users == DeviceUsers.OPERATORS else "one team and operators"
    name = device.path or device.stable_id
    return DeviceNotYours(
        f"{who} may not use device {name}: it is for {users}. Choose another one, or ask an operator."
    )


def set_users(*, session: Session, device: Device, use: DeviceUse) -> None:
    """Changes who may use the device. Jobs under way go on. Raises TeamMissing, TeamUnknown."""
    if (use.users == DeviceUsers.TEAM) != (use.team_id is not None):
        raise TeamMissing("Name a team for the users team, and none otherwise.")
    if use.team_id is not None:
        get_team(session=session, team_id=use.team_id)
    device.users, device.users_team_id = use.users, use.team_id
    session.flush()
    session.refresh(device)
