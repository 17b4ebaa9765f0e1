"""Finds profiles and versions; loads the built-in profiles."""

import json
import re
from pathlib import Path

import structlog
from sqlalchemy import func, select
from sqlalchemy.orm import Session, defer, joinedload, lazyload, load_only

from patina import __version__
from patina.account.visibility import is_seen, seen
from patina.errors import NotFound
from patina.profile.digest import profile_digest
from patina.profile.histogram import Histograms
from patina.profile.models import Profile, ProfileVersion
from patina.profile.schemas import NAME_PATTERN

log = structlog.get_logger()

BUILTIN_AUTHOR = "Patina"
_SHARING = (Profile.account_id, Profile.team_id, Profile.visibility)


ProfileUnknown = NotFound.of("profile_unknown", "No such profile")
VersionUnknown = NotFound.of("version_unknown", "No such version")


def list_profiles(*, session: Session, archived: bool) -> list[Profile]:
    """Returns the archived profiles that the sender sees, or the others, by title."""
    is_archived = Profile.archived_at.is_not(None)
    statement = (
        select(Profile)
        .where(is_archived if archived else ~is_archived, seen(Profile))
        .options(
            joinedload(Profile.latest_version).lazyload(ProfileVersion.profile),
            joinedload(Profile.parent).options(
                load_only(ProfileVersion.number),
                joinedload(ProfileVersion.profile).options(
                    load_only(Profile.name, *_SHARING), lazyload(Profile.latest_version)
                ),
            ),
        )
    )
    return list(session.scalars(statement.order_by(func.lower(Profile.title), Profile.id)))


def get_profile(*, session: Session, name: str) -> Profile:
    """Returns the profile called `name`. Raises ProfileUnknown with the existing names."""
    # Invalid names are not queried: the database would refuse some of them.
    is_name = re.fullmatch(NAME_PATTERN, name) is not None
    profile = session.scalar(select(Profile).where(Profile.name == name)) if is_name else None
    if profile is None or not is_seen(profile):
        shown = select(Profile.name).where(Profile.archived_at.is_(None), seen(Profile))
        known = ", ".join(session.scalars(shown.order_by(Profile.name).limit(20)))
        raise ProfileUnknown(f"There is no profile called {name!r}. Profiles here: {known or 'none'}.")
    return profile


def list_versions(*, session: Session, name: str) -> list[ProfileVersion]:
    """Returns the versions of a profile without their histograms, newest first."""
    profile = get_profile(session=session, name=name)
    statement = (
        select(ProfileVersion)
        .where(ProfileVersion.profile_id == profile.id)
        .options(defer(ProfileVersion.size), defer(ProfileVersion.depth), defer(ProfileVersion.age))
        .order_by(ProfileVersion.number.desc())
    )
    return list(session.scalars(statement))


def get_version(*, session: Session, name: str, number: int) -> ProfileVersion:
    """Returns one version. Raises ProfileUnknown or VersionUnknown."""
    profile = get_profile(session=session, name=name)
    statement = select(ProfileVersion).where(ProfileVersion.profile_id == profile.id, ProfileVersion.number == number)
    version = session.scalar(statement)
    if version is None:
        raise VersionUnknown(f"Profile {name} has no version {number}; it has 1 to {profile.versions_count}.")
    return version


def version_of(*, session: Session, name: str, number: int | None) -> ProfileVersion:
    """Returns the version of that number, or the latest. Raises ProfileUnknown, VersionUnknown."""
    if number is not None:
        return get_version(session=session, name=name, number=number)
    return get_profile(session=session, name=name).latest_version


def make_version(*, number: int, histograms: Histograms, message: str, author: str) -> ProfileVersion:
    """Makes a version that belongs to no profile yet. Raises ProfileInvalid if the core refuses it."""
    content = histograms.model_dump(mode="json")
    return ProfileVersion(number=number, message=message, author=author, digest=profile_digest(content), **content)


def load_builtin(*, session: Session, folder: Path) -> None:
    """Loads the built-in profiles of `folder` into the database: a changed file becomes a new version."""
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        histograms = Histograms.model_validate({k: document[k] for k in Histograms.model_fields})
        facts = {name: document[name] for name in ("title", "description", "source")}
        profile = session.scalar(select(Profile).where(Profile.name == document["name"]))
        if profile is None:
            version = make_version(number=1, histograms=histograms, message="Built in", author=BUILTIN_AUTHOR)
            session.add(Profile(name=document["name"], is_builtin=True, versions=[version], **facts))
        elif profile.is_builtin:
            _renew(session, profile, histograms, facts)
        else:
            log.warning("a user's profile has the name of a built-in one, which is not loaded", name=profile.name)
        session.flush()


def _renew(session: Session, profile: Profile, histograms: Histograms, facts: dict[str, str]) -> None:
    version = make_version(
        number=profile.versions_count + 1,
        histograms=histograms,
        message=f"As Patina {__version__} has it",
        author=BUILTIN_AUTHOR,
    )
    is_new = version.digest != profile.latest_version.digest
    if not is_new and facts == {name: getattr(profile, name) for name in facts}:
        return
    for name, value in facts.items():
        setattr(profile, name, value)
    profile.revision += 1
    if is_new:
        profile.versions_count += 1
        version.profile_id = profile.id
        session.add(version)
        session.flush()
        session.expire(profile, ["latest_version"])


def document_of(version: ProfileVersion) -> dict[str, object]:
    """Returns the version as the JSON document that patina-core reads."""
    return {"name": version.profile.name, "size": version.size, "depth": version.depth, "age": version.age}
