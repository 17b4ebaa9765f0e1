"""The list of the catalog. Of the documents only the shown members are read."""

from sqlalchemy import bindparam, case, func, select
from sqlalchemy.orm import Session, aliased

from patina.device.models import Device
from patina.host.models import Host
from patina.http.page import PageJson
from patina.image.models import Image
from patina.profile.models import Profile, ProfileVersion
from patina.run.models import Run

_Parent = aliased(Image)
_OWN = (
    Image.id, Image.origin, Image.run_id, Image.name, Image.file_system, Image.fullness, Image.mode,
    Image.is_readable, Image.size_bytes,
    Image.stored_bytes, Image.index_digest, Image.workload, Image.intake, Image.age, Image.created_at,
)  # fmt: skip
_NEWEST_FIRST = (
    select(
        *_OWN,
        case((_Parent.id.is_not(None), func.json_build_object("id", _Parent.id, "name", _Parent.name))).label("parent"),
        Device.stable_id.label("device_stable_id"),
        ProfileVersion.number.label("profile_version_number"),
        Profile.name.label("profile"),
        Profile.title.label("profile_title"),
        func.json_build_object(
            "bucket", Image.bucket, "host", Host.name, "is_host_healthy", Host.is_healthy,
            "is_host_removed", case((Host.id.is_not(None), Host.removed_at.is_not(None))),
        ).label("place"),
    )
    .outerjoin(_Parent, Image.parent_id == _Parent.id)
    .outerjoin(Run, Image.run_id == Run.id)
    .outerjoin(Device, Run.device_id == Device.id)
    .outerjoin(ProfileVersion, Image.profile_version_id == ProfileVersion.id)
    .outerjoin(Profile, ProfileVersion.profile_id == Profile.id)
    .outerjoin(Host, Image.host_id == Host.id)
    .where(Image.deleted_at.is_(None))
    .order_by(Image.id.desc())
)  # fmt: skip


_PAGES = PageJson(
    _NEWEST_FIRST,
    cursor=Image.id < bindparam("cursor"),
    run_id=(Image.run_id == bindparam("run_id")) & Image.parent_id.is_(None),
    name=Image.name == bindparam("name"),
)


def list_images(*, session: Session, cursor: int | None, limit: int, run_id: int | None, name: str | None) -> str:
    """Returns a page of the catalog, newest first, as the JSON of an ImagePage."""
    return _PAGES.read(session=session, limit=limit, cursor=cursor, run_id=run_id, name=name)
