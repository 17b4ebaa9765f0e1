"""Finds what used the versions of a profile: runs, images and trials, of those that the sender sees."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, column, exists, func, literal, or_, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session, aliased

from patina.account.visibility import seen
from patina.image.models import Image
from patina.profile import service as profile_service
from patina.profile.models import ProfileVersion
from patina.profile.schemas import ProfileUse, ProfileUses, ProfileVersionUses
from patina.run.models import Run
from patina.trial.models import Trial

NEWEST_COUNT = 5


def list_uses(*, session: Session, name: str) -> list[ProfileVersionUses]:
    """Returns the uses of each version that was used, newest version first. Raises ProfileUnknown."""
    profile = profile_service.get_profile(session=session, name=name)
    is_image = Image.profile_version_id == ProfileVersion.id
    kinds: dict[str, tuple[Any, Any, ColumnElement[bool]]] = {
        "runs": (Run, literal(""), Run.profile_version_id == ProfileVersion.id),
        "images": (Image, Image.name, is_image & Image.deleted_at.is_(None)),
        "trials": (Trial, Trial.name, _has_arm_of_version()),
    }
    found: dict[int, dict[str, ProfileUses]] = {}
    for kind, (row, row_name, is_use) in kinds.items():
        for number, count, use in _newest(session, profile.id, row, row_name, is_use):
            version = found.setdefault(number, {each: ProfileUses(count=0, newest=[]) for each in kinds})
            version[kind].count = count
            version[kind].newest.append(use)
    return [ProfileVersionUses(number=number, **found[number]) for number in sorted(found, reverse=True)]


def _newest(
    session: Session, profile_id: int, row: Any, name: Any, is_use: ColumnElement[bool]
) -> Iterable[tuple[int, int, ProfileUse]]:
    """Yields the newest uses of each version: its number, the number of its uses, and the use."""
    place = func.row_number().over(partition_by=ProfileVersion.id, order_by=row.id.desc()).label("place")
    count = func.count().over(partition_by=ProfileVersion.id).label("uses_count")
    ranked = (
        select(ProfileVersion.number, row.id.label("id"), name.label("name"), place, count)
        .join_from(ProfileVersion, row, is_use)
        .where(ProfileVersion.profile_id == profile_id, seen(row))
        .subquery()
    )
    rows = session.execute(
        select(ranked).where(ranked.c.place <= NEWEST_COUNT).order_by(ranked.c.number, ranked.c.place)
    )
    for each in rows:
        yield each.number, each.uses_count, ProfileUse(id=each.id, name=each.name)


def _has_arm_of_version() -> ColumnElement[bool]:
    """Returns the condition that an arm of the trial is an image of the version, or a run that makes one."""
    arm = func.jsonb_array_elements(Trial.settings["arms"]).table_valued(column("value", JSONB), name="arms")
    image, run = aliased(Image), aliased(Run)
    image_id = arm.c.value["image_id"].astext.cast(BigInteger)
    run_id = arm.c.value["run_id"].astext.cast(BigInteger)
    # SQLAlchemy correlates with the next enclosing query by itself, and the version is of the one around that.
    outer = (arm, ProfileVersion)
    is_image = exists().where(image.id == image_id, image.profile_version_id == ProfileVersion.id).correlate(*outer)
    is_run = exists().where(run.id == run_id, run.profile_version_id == ProfileVersion.id).correlate(*outer)
    return exists(select(1).select_from(arm).where(or_(is_image, is_run)).correlate(Trial, ProfileVersion))
