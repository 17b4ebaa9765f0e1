"""Lists of runs, without documents, which take most of a row and of the cost of its response."""

from sqlalchemy import bindparam, case, func, select
from sqlalchemy.orm import Session

from patina.account.visibility import hidden, viewer
from patina.device.models import Device
from patina.host.models import Host
from patina.http.page import PageJson
from patina.profile.models import Profile, ProfileVersion
from patina.run.models import Run

_OWN = (
    Run.id, Run.note, Run.batch_id, Run.state, Run.phase, Run.stop_reason, Run.error_code, Run.message, Run.eta_s,
    Run.age_rmse, Run.operation_log_bytes, Run.visibility, Run.created_at, Run.started_at, Run.finished_at,
)  # fmt: skip
_HOST = func.json_build_object(
    "id", Host.id, "name", Host.name, "heartbeat_at", Host.heartbeat_at, "is_healthy", Host.is_healthy
)  # fmt: skip
_NEWEST_FIRST = (
    select(
        *_OWN,
        Run.is_waiting.label("is_waiting"),
        Run.progress_fraction.label("progress_fraction"),
        case(
            (
                Profile.id.is_not(None),
                func.json_build_object("id", Profile.id, "name", Profile.name, "title", Profile.title),
            )
        ).label("profile"),
        func.json_build_object(
            "id", Device.id, "stable_id", Device.stable_id, "path", Device.path, "host", _HOST
        ).label("device"),
        Run.settings.op("-")("profile").label("settings"),
    )
    .join(Device, Run.device_id == Device.id)
    .join(Host, Device.host_id == Host.id)
    .outerjoin(ProfileVersion, Run.profile_version_id == ProfileVersion.id)
    .outerjoin(Profile, ProfileVersion.profile_id == Profile.id)
    .order_by(Run.id.desc())
)  # fmt: skip


_PAGES = PageJson(
    _NEWEST_FIRST,
    merged="settings",
    viewer=~hidden(Run),
    cursor=Run.id < bindparam("cursor"),
    device_id=Run.device_id == bindparam("device_id"),
    log_of_host_id=(Device.host_id == bindparam("log_of_host_id")) & Run.operation_log_bytes.is_not(None),
)


def list_runs(
    *, session: Session, cursor: int | None, limit: int, device_id: int | None, log_of_host_id: int | None
) -> str:
    """Returns a page of runs, newest first, as the JSON of a RunPage."""
    asked = {"cursor": cursor, "device_id": device_id, "log_of_host_id": log_of_host_id, "viewer": viewer()}
    return _PAGES.read(session=session, limit=limit, **asked)
