"""The catalog as a list: columns in place of entities, and of the documents only what is shown."""

from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Row, select
from sqlalchemy.orm import Session, aliased

from patina.device.models import Device
from patina.host.models import Host
from patina.image.models import Image
from patina.image.schemas import ImageItem, ImagePage
from patina.profile.models import Profile, ProfileVersion
from patina.run.models import Run

_Parent = aliased(Image)
_OWN = (
    Image.id, Image.origin, Image.run_id, Image.name, Image.file_system, Image.fullness, Image.mode, Image.size_bytes,
    Image.stored_bytes, Image.index_digest, Image.intake, Image.bucket, Image.created_at,
)  # fmt: skip
_COLUMNS = (
    *_OWN,
    Image.summary["histograms"]["age"].label("age"),
    _Parent.id.label("parent_id"), _Parent.name.label("parent_name"),
    Device.stable_id.label("device_stable_id"),
    ProfileVersion.number.label("profile_version_number"),
    Profile.name.label("profile"), Profile.title.label("profile_title"),
    Host.name.label("host"), Host.is_healthy, Host.removed_at,
)  # fmt: skip
_ITEMS = TypeAdapter(list[ImageItem])


def list_images(*, session: Session, cursor: int | None, limit: int, run_id: int | None, name: str | None) -> ImagePage:
    """A page of the catalog, newest first."""
    statement = (
        select(*_COLUMNS)
        .outerjoin(_Parent, Image.parent_id == _Parent.id)
        .outerjoin(Run, Image.run_id == Run.id)
        .outerjoin(Device, Run.device_id == Device.id)
        .outerjoin(ProfileVersion, Image.profile_version_id == ProfileVersion.id)
        .outerjoin(Profile, ProfileVersion.profile_id == Profile.id)
        .outerjoin(Host, Image.host_id == Host.id)
        .where(Image.deleted_at.is_(None))
        .order_by(Image.id.desc())
        .limit(limit + 1)
    )
    if cursor is not None:
        statement = statement.where(Image.id < cursor)
    if run_id is not None:
        statement = statement.where(Image.run_id == run_id, Image.parent_id.is_(None))
    if name is not None:
        statement = statement.where(Image.name == name)
    rows = session.execute(statement).all()
    items = _ITEMS.validate_python([_item(row) for row in rows[:limit]])
    return ImagePage(items=items, next_cursor=items[-1].id if len(rows) > limit else None)


def _item(row: Row[Any]) -> dict[str, Any]:
    return dict(row._mapping) | {
        "parent": None if row.parent_id is None else {"id": row.parent_id, "name": row.parent_name},
        "place": {
            "bucket": row.bucket,
            "host": row.host,
            "is_host_healthy": row.is_healthy,
            "is_host_removed": None if row.host is None else row.removed_at is not None,
        },
    }
