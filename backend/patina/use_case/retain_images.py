"""Chooses the images that a rule deletes, and deletes them: the preview and the deletion choose alike."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session

from patina.account.actor import current_actor
from patina.account.models import Team, Visibility
from patina.account.team import get_team
from patina.db import take_turn
from patina.delta.models import Holding
from patina.errors import NotFound, PatinaError
from patina.image.chunk_sets import chunk_sets, stored_bytes
from patina.image.models import Image
from patina.image.place import is_elsewhere
from patina.retention.models import RetentionRule
from patina.retention.schemas import RetentionImage, RetentionPreview, RetentionRead, Rule, TeamStorage
from patina.settings import settings
from patina.use_case import delete_image as deletion

RuleMissing = NotFound.of("retention_rule_missing", "The team has no retention rule")
RetentionChanged = PatinaError.of("retention_changed", "The preview is out of date", status=409)
TeamForeign = NotFound.of("team_foreign", "Not one of your teams")

_KIND = Image.profile_version_id, Image.workload, Image.file_system


@dataclass(frozen=True)
class Leaving:
    """An image that a rule deletes, and why."""

    image: Image
    reason: str


def team_of_sender(*, session: Session, team_id: int) -> Team:
    """Returns the team, if its images are shown to the sender. Raises TeamUnknown, TeamForeign."""
    team = get_team(session=session, team_id=team_id)
    actor = current_actor.get()
    if actor is not None and not actor.sees_everything and team.id not in actor.team_ids:
        raise TeamForeign(f"Only members of the team {team.name} and operators see what it stores.")
    return team


def read_retention(*, session: Session, team: Team) -> RetentionRead:
    """Returns the rule of the team, and what it deletes next."""
    row = _rule_of(session, team)
    if row is None:
        return RetentionRead(rule=None, preview=None)
    rule = Rule.model_validate(row)
    return RetentionRead(rule=rule, preview=preview(session=session, team=team, rule=rule))


def set_rule(*, session: Session, team: Team, rule: Rule) -> None:
    """Gives the team this rule, in place of the one that it has."""
    take_turn(session, f"retention of team {team.id}")
    row = _rule_of(session, team)
    if row is None:
        row = RetentionRule(team=team)
        session.add(row)
    for name, value in rule.model_dump().items():
        setattr(row, name, value)
    session.flush()


def remove_rule(*, session: Session, team: Team) -> None:
    """Removes the rule of the team. Raises RuleMissing."""
    session.delete(_required(session, team))
    session.flush()


def preview(*, session: Session, team: Team, rule: Rule) -> RetentionPreview:
    """Returns what the rule would delete now."""
    leaving = choose(session=session, team=team, rule=rule)
    count = session.scalar(select(func.count(Image.id)).where(*_of_team(team)))
    items = [
        RetentionImage(id=each.image.id, name=each.image.name, reason=each.reason, created_at=each.image.created_at)
        for each in leaving
    ]
    return RetentionPreview(items=items, kept_count=(count or 0) - len(items), grace_s=settings().gc_grace_s)


def apply_rule(*, session: Session, team: Team, expected_ids: Iterable[int] | None = None) -> list[Image]:
    """Deletes what the rule of the team chooses. Raises RuleMissing; RetentionChanged if that is not `expected_ids`."""
    take_turn(session, f"retention of team {team.id}")
    leaving = choose(session=session, team=team, rule=Rule.model_validate(_required(session, team)))
    if expected_ids is not None and {each.image.id for each in leaving} != set(expected_ids):
        raise RetentionChanged(
            f"The images that the rule of team {team.name} deletes have changed since the preview. Look at it again; "
            "nothing was deleted."
        )
    for each in leaving:
        deletion.mark_deleted(each.image)
    session.flush()
    return [each.image for each in leaving]


def choose(*, session: Session, team: Team, rule: Rule) -> list[Leaving]:
    """Returns the images that the rule deletes, the newest first."""
    newer = func.row_number().over(partition_by=_KIND, order_by=Image.id.desc())
    # Numbered over all of the team, also those that stay for another reason.
    ranked = select(Image.id, newer.label("rank")).where(*_of_team(team)).subquery()
    conditions: list[ColumnElement[bool]] = [
        Image.is_protected.is_(False),
        ~exists().where(Holding.image_id == Image.id),
    ]
    reasons = []
    if rule.keep_last_count is not None:
        conditions.append(ranked.c.rank > rule.keep_last_count)
        reasons.append(f"not among the newest {rule.keep_last_count} of its kind")
    if rule.expire_after_s is not None:
        conditions.append(Image.created_at < datetime.now(UTC) - timedelta(seconds=rule.expire_after_s))
        reasons.append(f"older than {_in_words(rule.expire_after_s)}")
    if rule.keeps_tagged:
        conditions.append(func.cardinality(Image.tags) == 0)
        reasons.append("without a tag")
    found = select(Image).join(ranked, ranked.c.id == Image.id).where(*conditions).order_by(Image.id.desc())
    reason = ", ".join(reasons)
    unused = (image for image in session.scalars(found) if deletion.use_of(session=session, image=image) is None)
    return [Leaving(image, reason) for image in unused]


def measure_storage(*, session: Session, team: Team) -> TeamStorage:
    """Returns what the images shared with the team take. Reads every index: takes seconds."""
    images = list(session.scalars(select(Image).where(*_of_team(team))))
    here = [image for image in images if not is_elsewhere(image)]
    sets = chunk_sets(session=session, images=here) if here else None
    return TeamStorage(
        images_count=len(images),
        size_bytes=sum(image.size_bytes for image in images),
        own_bytes=None if sets is None else stored_bytes(sets.own),
        shared_bytes=None if sets is None else stored_bytes(sets.shared),
        elsewhere_count=len(images) - len(here),
    )


def _of_team(team: Team) -> tuple[ColumnElement[bool], ...]:
    return Image.visibility == Visibility.TEAM, Image.team_id == team.id, Image.deleted_at.is_(None)


def _rule_of(session: Session, team: Team) -> RetentionRule | None:
    return session.scalar(select(RetentionRule).where(RetentionRule.team_id == team.id))


def _required(session: Session, team: Team) -> RetentionRule:
    rule = _rule_of(session, team)
    if rule is None:
        raise RuleMissing(f"The team {team.name} has no retention rule. Its images stay.")
    return rule


def _in_words(duration_s: int) -> str:
    for unit_s, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if duration_s >= unit_s and duration_s % unit_s == 0:
            return f"{duration_s // unit_s} {unit}"
    return f"{duration_s} seconds"
