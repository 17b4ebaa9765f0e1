"""The list of the catalog. Of the documents only the shown members are read."""

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, bindparam, case, func, select, tuple_
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session, aliased

from patina.account.visibility import hidden, viewer
from patina.device.models import Device
from patina.host.models import Host
from patina.http.page import PageJson
from patina.image.models import Image, ImageEntry
from patina.image.search import FACETS, MATCHES, ImageQuery, is_one_of
from patina.image.sort import Sort
from patina.profile.models import Profile, ProfileVersion
from patina.run.models import Run

_Parent = aliased(Image)
_OWN = (
    Image.id, Image.origin, Image.run_id, Image.name, Image.file_system, Image.fullness, Image.mode,
    Image.is_readable, Image.size_bytes, Image.visibility, Image.tags, Image.is_protected,
    Image.stored_bytes, Image.index_digest, Image.workload, Image.intake, Image.age, Image.created_at,
    Image.is_content_known.label("is_content_known"),
)  # fmt: skip
_ROWS = (
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
    # The first of the joins: PostgreSQL does not reorder so many, and the others would join the whole catalog.
    .select_from(ImageEntry)
    .join(Image, Image.id == ImageEntry.image_id)
    .outerjoin(_Parent, Image.parent_id == _Parent.id)
    .outerjoin(Run, Image.run_id == Run.id)
    .outerjoin(Device, Run.device_id == Device.id)
    .outerjoin(ProfileVersion, Image.profile_version_id == ProfileVersion.id)
    .outerjoin(Profile, ProfileVersion.profile_id == Profile.id)
    .outerjoin(Host, Image.host_id == Host.id)
)  # fmt: skip

_Last = aliased(Image)  # of the page before; it may have been deleted since


def _after(*columns: Any) -> Any:
    """Returns these columns of the last image of the page before."""
    return select(*columns).where(_Last.id == bindparam("cursor")).scalar_subquery()


def _fullness(image: Any) -> Any:
    return func.coalesce(image.fullness, -1)


_SORTS: dict[Sort, tuple[list[Any], ColumnElement[bool]]] = {
    Sort.NEWEST: ([ImageEntry.image_id.desc()], ImageEntry.image_id < bindparam("cursor")),
    Sort.OLDEST: ([ImageEntry.image_id], ImageEntry.image_id > bindparam("cursor")),
    Sort.NAME: ([ImageEntry.name], ImageEntry.name > _after(_Last.name)),
    Sort.STORED: (
        [ImageEntry.stored_bytes.desc(), ImageEntry.image_id.desc()],
        tuple_(ImageEntry.stored_bytes, ImageEntry.image_id) < _after(_Last.stored_bytes, _Last.id),
    ),
    Sort.FULLNESS: (
        [_fullness(ImageEntry).desc(), ImageEntry.image_id.desc()],
        tuple_(_fullness(ImageEntry), ImageEntry.image_id) < _after(_fullness(_Last), _Last.id),
    ),
}
_Asked = aliased(Image)
_OF_RUN = select(_Asked.id).where(_Asked.run_id == bindparam("run_id"), _Asked.parent_id.is_(None))
_CONDITIONS: dict[str, ColumnElement[bool]] = {
    "id": ImageEntry.image_id == func.any(bindparam("id", type_=ARRAY(BigInteger))),
    "run_id": ImageEntry.image_id.in_(_OF_RUN),
    "q": MATCHES,
    "viewer": ~hidden(ImageEntry),
} | {facet: is_one_of(facet, column) for facet, column in FACETS.items()}
_PAGES = {
    sort: PageJson(
        _ROWS.order_by(*order),
        merged=None,
        found=select(ImageEntry.image_id).order_by(*order),
        cursor=cursor,
        **_CONDITIONS,
    )
    for sort, (order, cursor) in _SORTS.items()
}


def list_images(*, session: Session, asked: ImageQuery) -> str:
    """Returns a page of the catalog as the JSON of an ImagePage."""
    given = asked.model_dump(include={"limit", "cursor", "run_id"})
    given |= {"id": asked.id or None, "viewer": viewer()}
    return _PAGES[asked.sort].read(session=session, **given, **asked.values())
