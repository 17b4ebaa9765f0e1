"""Find profiles; keep the built-in ones as the project's data has them."""

import json
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.errors import NotFound
from patina.profile.histogram import Histograms
from patina.profile.models import Profile, ProfileVersion


class ProfileUnknown(NotFound):
    code = "profile_unknown"
    title = "Profile unknown"


def list_profiles(*, session: Session) -> list[Profile]:
    """Every profile, by title."""
    return list(session.scalars(select(Profile).order_by(Profile.title)))


def get_profile(*, session: Session, name: str) -> Profile:
    """The profile called `name`, or ProfileUnknown with the names there are."""
    profile = session.scalar(select(Profile).where(Profile.name == name))
    if profile is None:
        known = ", ".join(session.scalars(select(Profile.name).order_by(Profile.name)))
        raise ProfileUnknown(f"There is no profile called {name!r}. Profiles here: {known or 'none'}.")
    return profile


def load_builtin(*, session: Session, folder: Path) -> None:
    """Make the database agree with the built-in profiles in `folder`: a changed file becomes a new version."""
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        histograms = Histograms.model_validate({k: document[k] for k in ("size", "depth", "age")})
        content = histograms.model_dump(mode="json")
        profile = session.scalar(select(Profile).where(Profile.name == document["name"]))
        if profile is None:
            profile = Profile(
                name=document["name"],
                title=document["title"],
                description=document["description"],
                source=document["source"],
                is_builtin=True,
            )
            session.add(profile)
        latest = profile.versions[-1] if profile.versions else None
        if latest is None or {k: getattr(latest, k) for k in content} != content:
            number = latest.number + 1 if latest else 1
            profile.versions.append(ProfileVersion(number=number, **content))
        session.flush()


def document_of(version: ProfileVersion) -> dict[str, object]:
    """The version as the JSON document that patina-core reads."""
    return {"name": version.profile.name, "size": version.size, "depth": version.depth, "age": version.age}
