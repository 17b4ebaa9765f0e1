"""Makes, changes, forks, archives and deletes profiles. A change names the state it is based on; the first one wins."""

import re
from datetime import UTC, datetime
from typing import Literal

import psycopg
from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from patina.account.schemas import Sharing
from patina.account.visibility import begin, require_changeable, share
from patina.db import take_turn
from patina.errors import PatinaError
from patina.profile.digest import profile_digest
from patina.profile.models import Profile, ProfileVersion
from patina.profile.schemas import CurrentVersion, ProfileCreate, ProfileUpdate, ProfileVersionCreate
from patina.profile.service import ProfileUnknown, get_profile, get_version, make_version

_ENTITY_TAG = re.compile(r'(?:W/)?("[^"]*")')
# Tables whose foreign key prevents deletion of a version, and their names in messages.
_REFERRERS = {"run": "runs", "image": "images", "profile": "forks"}


ProfileExists = PatinaError.of("profile_exists", "This name is taken", status=409)
ProfileReadOnly = PatinaError.of("profile_read_only", "Built-in profiles are read-only", status=409)
PreconditionRequired = PatinaError.of("precondition_required", "The page is older than the server", status=428)


MOST_PROFILES_COUNT = 1000


# Its problem document has `current`: the latest version.
ProfileChanged = PatinaError.of("profile_changed", "This profile was changed meanwhile", status=412)
TooManyProfiles = PatinaError.of("too_many_profiles", "There are too many profiles", status=409)
VersionUnchanged = PatinaError.of("version_unchanged", "Nothing has changed", status=409)
ProfileInUse = PatinaError.of("profile_in_use", "This profile is in use", status=409)


def create_profile(*, session: Session, create: ProfileCreate) -> Profile:
    """Makes a profile and its first version. ProfileExists, ProfileInvalid, ProfileUnknown, VersionUnknown."""
    _require_room(session)
    parent = _parent_of(session, create)
    version = make_version(number=1, histograms=create.histograms, message=create.message, author=create.author)
    profile = Profile(
        name=create.name,
        title=create.title,
        description=create.description,
        source=create.source,
        tags=create.tags,
        is_builtin=False,
        parent=parent,
        versions=[version],
    )
    begin(session=session, row=profile, asked=None, sources=[] if parent is None else [parent.profile])
    try:
        with session.begin_nested():
            session.add(profile)
    except IntegrityError as error:
        broken = _diagnosis(error, "constraint_name")
        if broken == "fk_profile_parent_version_id_profile_version":
            raise ProfileUnknown("The profile to fork was deleted meanwhile. Keep yours without a parent.") from error
        if broken != "uq_profile_name":
            raise
        raise ProfileExists(f"The name {create.name} is taken. Choose another one.") from error
    session.refresh(profile)
    return profile


def _parent_of(session: Session, create: ProfileCreate) -> ProfileVersion | None:
    if create.parent is None:
        return None
    return get_version(session=session, name=create.parent.name, number=create.parent.number)


def _require_room(session: Session) -> None:
    """Raises TooManyProfiles. Every page with a choice of profiles lists all of them, with their histograms."""
    take_turn(session, "a new profile")
    if (session.scalar(select(func.count(Profile.id))) or 0) >= MOST_PROFILES_COUNT:
        raise TooManyProfiles(
            f"There are {MOST_PROFILES_COUNT} profiles, archived ones too, and the server keeps no more. Delete some "
            "that no run has used."
        )


def update_profile(*, session: Session, name: str, if_match: str | None, change: ProfileUpdate) -> Profile:
    """Changes a profile's text members. Raises PreconditionRequired, ProfileChanged, ProfileReadOnly."""
    profile = _editable(session, name)
    _move(session, profile, if_match, **change.model_dump(exclude_none=True))
    return profile


def add_version(*, session: Session, name: str, if_match: str | None, create: ProfileVersionCreate) -> ProfileVersion:
    """Adds a version. PreconditionRequired, ProfileChanged, ProfileReadOnly, VersionUnchanged, ProfileInvalid."""
    profile = _editable(session, name)
    digest = profile_digest(create.histograms.model_dump(mode="json"))
    # The row is locked: no other transaction adds a version.
    _move(session, profile, if_match, versions_count=Profile.versions_count + 1)
    last = get_version(session=session, name=name, number=profile.versions_count - 1)
    if last.digest == digest:
        raise VersionUnchanged(
            f"These histograms are those of version {last.number} of {name} already. Nothing was saved."
        )
    version = make_version(
        number=profile.versions_count, histograms=create.histograms, message=create.message, author=create.author
    )
    version.profile_id = profile.id
    session.add(version)
    session.flush()
    session.refresh(version)
    session.expire(profile, ["latest_version"])
    return version


def archive_profile(*, session: Session, name: str) -> Profile:
    """Hides the profile from the lists; references to it stay. Idempotent."""
    profile = _editable(session, name)
    if profile.archived_at is None:
        _set(session, profile, archived_at=datetime.now(UTC))
    return get_profile(session=session, name=name)


def unarchive_profile(*, session: Session, name: str) -> Profile:
    """Shows the profile in the lists again. Idempotent."""
    profile = _editable(session, name)
    if profile.archived_at is not None:
        _set(session, profile, archived_at=None)
    return get_profile(session=session, name=name)


def share_profile(*, session: Session, name: str, sharing: Sharing) -> Profile:
    """Changes who sees the profile. Raises ProfileReadOnly, NotYours, TeamMissing, TeamUnknown, NotAMember."""
    profile = _editable(session, name)
    share(session=session, row=profile, sharing=sharing)
    _set(session, profile)
    return get_profile(session=session, name=name)


def delete_profile(*, session: Session, name: str) -> None:
    """Deletes the profile with all its versions. Raises ProfileInUse if runs, images or forks refer to it."""
    profile = _editable(session, name)
    try:
        with session.begin_nested():
            session.execute(delete(Profile).where(Profile.id == profile.id))
    except IntegrityError as error:
        table = _diagnosis(error, "table_name")
        if table is None:
            raise
        raise ProfileInUse(
            f"Profile {name} has {_REFERRERS.get(table, table)} that refer to it. Archive it instead: "
            "it then leaves the lists, and they stay reproducible."
        ) from error


def _editable(session: Session, name: str) -> Profile:
    profile = get_profile(session=session, name=name)
    if profile.is_builtin:
        raise ProfileReadOnly(f"Profile {name} came with Patina and stays as it is. Fork it, and change the fork.")
    require_changeable(profile)
    return profile


def _diagnosis(error: IntegrityError, name: Literal["constraint_name", "table_name"]) -> str | None:
    """Returns PostgreSQL's diagnosis of the refused row."""
    found: str | None = getattr(error.orig.diag, name) if isinstance(error.orig, psycopg.Error) else None
    return found


def _matches(if_match: str, profile: Profile) -> bool:
    return if_match.strip() == "*" or profile.entity_tag in _ENTITY_TAG.findall(if_match)


def _move(session: Session, profile: Profile, if_match: str | None, **values: object) -> None:
    """Changes the profile's row, if its state matches `if_match`, by compare-and-set."""
    name, profile_id, revision = profile.name, profile.id, profile.revision
    if if_match is None:
        raise PreconditionRequired(
            f"Send the ETag of profile {name} as you saw it in If-Match, to protect the changes of other users."
        )
    if not _matches(if_match, profile) or not _set(session, profile, Profile.revision == revision, **values):
        raise _changed(session, name, profile_id)


def _set(session: Session, profile: Profile, *conditions: ColumnElement[bool], **values: object) -> bool:
    """Updates the row if the conditions match. Returns whether they did."""
    statement = (
        update(Profile)
        .where(Profile.id == profile.id, *conditions)
        .values(revision=Profile.revision + 1, **values)
        .returning(Profile.id)
        .execution_options(synchronize_session=False)
    )
    was_there = session.scalar(statement) is not None
    session.expire(profile)
    return was_there


def _changed(session: Session, name: str, profile_id: int) -> PatinaError:
    latest = session.scalar(
        select(ProfileVersion)
        .where(ProfileVersion.profile_id == profile_id)
        .order_by(ProfileVersion.number.desc())
        .limit(1)
    )
    if latest is None:
        return ProfileUnknown(f"Profile {name} was deleted meanwhile. Keep yours under the name, as a new one.")
    return ProfileChanged(
        f"Profile {name} is not as you last saw it: its latest version is {latest.number}, by {latest.author} "
        f'("{latest.message}"). Look at what changed, then save yours on top of it, or as a fork.',
        members={"current": CurrentVersion.model_validate(latest)},
    )
