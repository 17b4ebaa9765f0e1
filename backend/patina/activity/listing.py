"""Lists of jobs. Of the documents only the request is read."""

from functools import lru_cache

from sqlalchemy import Boolean, and_, bindparam, case, func, or_, select
from sqlalchemy.orm import Session, aliased

from patina.account.visibility import VIEWER, hidden, viewer
from patina.device.models import Device, Lease
from patina.host.models import Host
from patina.http.page import PageJson
from patina.job.kind import KINDS
from patina.job.models import Job
from patina.job.state import ENDED

_OWN = (
    Job.id, Job.kind, Job.request, Job.state, Job.attempt, Job.is_automatic, Job.stop_requested_at, Job.phase,
    Job.message, Job.done, Job.total, Job.unit, Job.eta_s, Job.error_code, Job.visibility, Job.created_at,
    Job.started_at, Job.finished_at,
)  # fmt: skip
_HOST = func.json_build_object(
    "id", Host.id, "name", Host.name, "heartbeat_at", Host.heartbeat_at, "is_healthy", Host.is_healthy
)  # fmt: skip
_DEVICE = case(
    (
        Device.id.is_not(None),
        func.json_build_object("id", Device.id, "stable_id", Device.stable_id, "path", Device.path),
    )
)  # fmt: skip
_Holder = aliased(Job, flat=True)
_IS_HIDDEN = VIEWER.is_not(None) & hidden(_Holder)
_HOLDER = (
    select(case((_IS_HIDDEN, func.concat("a private ", _Holder.kind)), else_=Lease.holder))
    .outerjoin(_Holder, _Holder.lease_id == Lease.id)
    .where(Lease.device_id == Job.device_id, Lease.released_at.is_(None), Job.is_waiting)
    .scalar_subquery()
)


@lru_cache(maxsize=1)
def _pages() -> PageJson:
    """Returns the list queries. Built with the first list: kinds may be registered until then."""
    retriable = [and_(Job.kind == kind.name, Job.state.in_(kind.retries)) for kind in KINDS.values() if kind.retries]
    newest_first = (
        select(
            *_OWN,
            _HOST.label("host"),
            _DEVICE.label("device"),
            _HOLDER.label("waits_for"),
            or_(*retriable).label("is_retriable"),
        )
        .join(Host, Job.host_id == Host.id)
        .outerjoin(Device, Job.device_id == Device.id)
        .order_by(Job.id.desc())
    )
    return PageJson(
        newest_first,
        viewer=~hidden(Job),
        cursor=Job.id < bindparam("cursor"),
        kind=Job.kind == bindparam("kind"),
        host_id=Job.host_id == bindparam("host_id"),
        device_id=Job.device_id == bindparam("device_id"),
        state=Job.state == bindparam("state"),
        is_open=Job.state.not_in(ENDED) == bindparam("is_open", type_=Boolean),
    )


def list_jobs(*, session: Session, limit: int, **asked: object) -> str:
    """Returns a page of jobs, newest first, as the JSON of a JobPage. `asked`: filters and cursor, by their names."""
    return _pages().read(session=session, limit=limit, viewer=viewer(), **asked)
