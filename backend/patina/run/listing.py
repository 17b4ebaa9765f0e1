"""Lists of runs: columns in place of entities, and no document, which are most of a row and of what its answer would
cost."""

from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from patina.device.models import Device
from patina.host.models import Host
from patina.profile.models import Profile, ProfileVersion
from patina.run.models import Run
from patina.run.schemas import RunItem, RunPage

_OWN = (
    Run.id, Run.file_system, Run.fullness, Run.seed, Run.data_mode, Run.capture_mode, Run.max_rmse, Run.max_overwrites,
    Run.max_seconds, Run.note, Run.batch_id, Run.state, Run.phase, Run.stop_reason, Run.error_code, Run.error_message,
    Run.progress_fraction, Run.eta_s, Run.created_at, Run.started_at, Run.finished_at,
)  # fmt: skip
_COLUMNS = (
    *_OWN,
    Run.is_waiting.label("is_waiting"),
    Run.summary["histograms"]["age"]["rmse"].as_float().label("age_rmse"),
    ProfileVersion.number.label("profile_version_number"),
    Profile.id.label("profile_id"), Profile.name.label("profile_name"), Profile.title.label("profile_title"),
    Device.id.label("device_id"), Device.stable_id, Device.path,
    Host.id.label("host_id"), Host.name.label("host_name"), Host.heartbeat_at, Host.is_healthy,
)  # fmt: skip
_ITEMS = TypeAdapter(list[RunItem])


def list_runs(*, session: Session, cursor: int | None, limit: int, device_id: int | None) -> RunPage:
    """A page of runs, newest first."""
    statement = (
        select(*_COLUMNS)
        .join(Device, Run.device_id == Device.id)
        .join(Host, Device.host_id == Host.id)
        .join(ProfileVersion, Run.profile_version_id == ProfileVersion.id)
        .join(Profile, ProfileVersion.profile_id == Profile.id)
        .order_by(Run.id.desc())
        .limit(limit + 1)
    )
    if cursor is not None:
        statement = statement.where(Run.id < cursor)
    if device_id is not None:
        statement = statement.where(Run.device_id == device_id)
    rows = session.execute(statement).all()
    items = _ITEMS.validate_python([_item(row) for row in rows[:limit]])
    return RunPage(items=items, next_cursor=items[-1].id if len(rows) > limit else None)


def _item(row: Row[Any]) -> dict[str, Any]:
    host = {"id": row.host_id, "name": row.host_name, "heartbeat_at": row.heartbeat_at, "is_healthy": row.is_healthy}
    return dict(row._mapping) | {
        "profile": {"id": row.profile_id, "name": row.profile_name, "title": row.profile_title},
        "device": {"id": row.device_id, "stable_id": row.stable_id, "path": row.path, "host": host},
    }
