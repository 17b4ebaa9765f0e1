"""Lists of runs, without documents, which take most of a row and of the cost of its response."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    select,
    tuple_,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session, aliased

from patina.account.visibility import hidden, viewer
from patina.device.models import Device
from patina.host.models import Host
from patina.http.page import PageJson
from patina.job.models import Job
from patina.profile.models import Profile, ProfileVersion
from patina.run.models import Run
from patina.run.search import RunQuery
from patina.run.sort import RunSort

_OWN = (
    Run.id, Run.name, Run.tags, Run.note, Run.archived_at, Run.batch_id, Run.state, Run.phase, Run.stop_reason,
    Run.error_code, Run.message, Run.eta_s, Run.age_rmse, Run.operation_log_bytes, Run.prediction, Run.visibility,
    Run.created_at, Run.started_at, Run.finished_at,
)  # fmt: skip
_HOST = func.json_build_object(
    "id", Host.id, "name", Host.name, "heartbeat_at", Host.heartbeat_at, "is_healthy", Host.is_healthy
)  # fmt: skip


def _size_of(run: Any) -> Any:
    """Returns the size of the device at the start of the run."""
    return cast(run.confirmed.op("->>", return_type=Text)(literal_column("'size_bytes'")), BigInteger)


_ROWS = (
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
            "id", Device.id, "stable_id", Device.stable_id, "path", Device.path,
            "size_bytes", func.coalesce(_size_of(Run), Device.size_bytes), "host", _HOST,
        ).label("device"),
        Run.settings.op("-")("profile").label("settings"),
    )
    .join(Device, Run.device_id == Device.id)
    .join(Host, Device.host_id == Host.id)
    .outerjoin(ProfileVersion, Run.profile_version_id == ProfileVersion.id)
    .outerjoin(Profile, ProfileVersion.profile_id == Profile.id)
)  # fmt: skip

# The expressions of the indexes, which serve the largest numbers and the smallest RMSE first: there, runs without the
# number come last.
_KEYS: dict[RunSort, Callable[[Any], Any]] = {
    RunSort.NAME: lambda run: run.name,
    RunSort.SIZE: lambda run: func.coalesce(_size_of(run), literal_column("0")),
    RunSort.FULLNESS: lambda run: func.coalesce(run.fullness, literal_column("-1")),
    RunSort.AGE_RMSE: lambda run: func.coalesce(run.age_rmse, literal_column("2")),
}
# Of the table of the key: a comparison with the id of the other table cannot use the index.
_ID = {RunSort.SIZE: Job.__table__.c.id}
_IS_RUN = Job.__table__.c.kind == literal_column("'run'")  # the condition of the indexes of job
_Last = aliased(Run, flat=True)  # of the page before


def _is_one_of(name: str, column: Any, kind: Any) -> ColumnElement[bool]:
    values = func.any(bindparam(name, type_=ARRAY(kind)))
    return cast(column, kind).op("=", is_comparison=True)(values)


def _contains(text: Any) -> ColumnElement[bool]:
    return func.strpos(func.lower(text), bindparam("q", type_=Text)) > literal_column("0")


_TAG = func.jsonb_array_elements_text(Run.tags).column_valued("tag")
_VERSIONS = (
    select(ProfileVersion.id)
    .join(Profile, ProfileVersion.profile_id == Profile.id)
    .where(Profile.name == func.any(bindparam("profile", type_=ARRAY(Text))))
)
_CONDITIONS: dict[str, ColumnElement[bool]] = {
    "viewer": ~hidden(Run),
    "q": _contains(Run.name) | select(_TAG).where(_contains(_TAG)).correlate(Run).exists(),
    "state": _is_one_of("state", Run.state, Text),
    "profile": Run.profile_version_id.in_(_VERSIONS),
    "workload": _is_one_of("workload", Run.settings["workload"].astext, Text),
    "file_system": _is_one_of("file_system", Run.file_system, Text),
    "device_id": Run.device_id == func.any(bindparam("device_id", type_=ARRAY(BigInteger))),
    "host_id": Run.host_id == func.any(bindparam("host_id", type_=ARRAY(BigInteger))),
    "batch_id": Run.batch_id == func.any(bindparam("batch_id", type_=ARRAY(BigInteger))),
    "tag": Run.tags.op("?|", is_comparison=True)(bindparam("tag", type_=ARRAY(Text))),
    "since": Run.created_at >= bindparam("since"),
    "until": Run.created_at < bindparam("until"),
    # Literal: the index of the few archived runs has this condition.
    "archived": Run.archived_at.is_not(None) == bindparam("archived", type_=Boolean, literal_execute=True),
    "log_of_host_id": (Run.host_id == bindparam("log_of_host_id")) & Run.operation_log_bytes.is_not(None),
}


@lru_cache
def _pages(sort: RunSort, is_descending: bool) -> PageJson:
    run_id = _ID.get(sort, Run.__table__.c.id)
    key_of = _KEYS.get(sort)
    place: Any = run_id
    last: Any = bindparam("cursor")
    columns: list[Any] = [run_id]
    if key_of is not None:
        columns = [key_of(Run), run_id]
        place = tuple_(*columns)
        last = select(key_of(_Last), _Last.id).where(_Last.id == bindparam("cursor")).scalar_subquery()
    order = [column.desc() for column in columns] if is_descending else columns
    return PageJson(
        _ROWS.order_by(*order),
        merged="settings",
        found=select(Run.id).where(_IS_RUN).order_by(*order),
        cursor=place < last if is_descending else place > last,
        **_CONDITIONS,
    )


def list_runs(*, session: Session, asked: RunQuery) -> str:
    """Returns a page of the runs that meet the conditions, as the JSON of a RunPage."""
    pages = _pages(asked.sort, asked.is_descending)
    return pages.read(session=session, limit=asked.limit, cursor=asked.cursor, viewer=viewer(), **asked.values())
