"""Routes of profiles and their versions."""

from typing import Annotated, Any

from fastapi import Header, Path, Query, Response
from sqlalchemy.orm import Session

from patina.account.schemas import Sharing
from patina.errors import Problem
from patina.http.read_only import read_only
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.profile import export, keeping, service
from patina.profile.models import Profile, ProfileVersion
from patina.profile.schemas import (
    ProfileChangedProblem,
    ProfileCreate,
    ProfileList,
    ProfileRead,
    ProfileUpdate,
    ProfileVersionCreate,
    ProfileVersionList,
    ProfileVersionRead,
    ProfileVersionUsesList,
    VersionNumber,
)
from patina.use_case import profile_uses

router = Router(prefix="/profiles", tags=["profile"])

Number = Annotated[VersionNumber, Path()]
IfMatch = Annotated[
    str | None, Header(description="ETag of the profile before the change; without it 428 precondition_required")
]
_GUARDED: dict[int | str, dict[str, Any]] = {
    412: {"model": ProfileChangedProblem, "description": "The profile was changed: `profile_changed`"},
    428: {"model": Problem, "description": "No If-Match: `precondition_required`"},
}


@router.get("", operation_id="list_profiles")
@read_only
def list_profiles(
    session: Session, archived: Annotated[bool, Query(description="true: archived profiles; false: the others")] = False
) -> ProfileList:
    """Returns all profiles by title."""
    items = service.list_profiles(session=session, archived=archived)
    return ProfileList.model_validate({"items": items}, from_attributes=True)


@router.post("", operation_id="create_profile", status_code=201, response_model=ProfileRead)
def create_profile(session: RequestSession, response: Response, body: ProfileCreate) -> Profile:
    """Makes a new profile, or a fork of another."""
    profile = keeping.create_profile(session=session, create=body)
    response.headers["Location"] = f"/api/v1/profiles/{profile.name}"
    return _tagged(response, profile)


@router.get("/{name}", operation_id="get_profile", response_model=ProfileRead)
def get_profile(session: RequestSession, response: Response, name: str) -> Profile:
    """Returns one profile with its latest version. Send its ETag in If-Match to change it."""
    return _tagged(response, service.get_profile(session=session, name=name))


@router.patch("/{name}", operation_id="update_profile", response_model=ProfileRead, responses=_GUARDED)
def update_profile(
    session: RequestSession, response: Response, name: str, body: ProfileUpdate, if_match: IfMatch = None
) -> Profile:
    """Changes title, description, source or tags."""
    return _tagged(response, keeping.update_profile(session=session, name=name, if_match=if_match, change=body))


@router.delete("/{name}", operation_id="delete_profile", status_code=204)
def delete_profile(session: RequestSession, name: str) -> None:
    """Deletes an unreferenced profile, with all its versions."""
    keeping.delete_profile(session=session, name=name)


@router.post("/{name}/archive", operation_id="archive_profile", response_model=ProfileRead)
def archive_profile(session: RequestSession, response: Response, name: str) -> Profile:
    """Hides a profile from the lists; runs, images and forks keep it."""
    return _tagged(response, keeping.archive_profile(session=session, name=name))


@router.post("/{name}/unarchive", operation_id="unarchive_profile", response_model=ProfileRead)
def unarchive_profile(session: RequestSession, response: Response, name: str) -> Profile:
    """Shows an archived profile in the lists again."""
    return _tagged(response, keeping.unarchive_profile(session=session, name=name))


@router.put("/{name}/sharing", operation_id="share_profile", response_model=ProfileRead)
def share_profile(session: RequestSession, response: Response, name: str, body: Sharing) -> Profile:
    """Changes who sees the profile. Its account, the members of its team and operators may."""
    return _tagged(response, keeping.share_profile(session=session, name=name, sharing=body))


@router.get("/{name}/uses", operation_id="list_profile_uses")
@read_only
def list_profile_uses(session: Session, name: str) -> ProfileVersionUsesList:
    """Returns the runs, images and trials that used each version: how many, and the newest."""
    return ProfileVersionUsesList(items=profile_uses.list_uses(session=session, name=name))


@router.get("/{name}/versions", operation_id="list_profile_versions")
def list_profile_versions(session: RequestSession, name: str) -> ProfileVersionList:
    """Returns all versions, newest first, without their histograms."""
    items = service.list_versions(session=session, name=name)
    return ProfileVersionList.model_validate({"items": items}, from_attributes=True)


@router.post(
    "/{name}/versions",
    operation_id="add_profile_version",
    status_code=201,
    response_model=ProfileVersionRead,
    responses=_GUARDED,
)
def add_profile_version(
    session: RequestSession, response: Response, name: str, body: ProfileVersionCreate, if_match: IfMatch = None
) -> ProfileVersion:
    """Adds histograms as the latest version. The ETag is the profile's."""
    version = keeping.add_version(session=session, name=name, if_match=if_match, create=body)
    response.headers["Location"] = f"/api/v1/profiles/{name}/versions/{version.number}"
    _tagged(response, version.profile)
    return version


@router.get("/{name}/versions/{number}", operation_id="get_profile_version", response_model=ProfileVersionRead)
def get_profile_version(session: RequestSession, name: str, number: Number) -> ProfileVersion:
    """Returns one version with its histograms."""
    return service.get_version(session=session, name=name, number=number)


@router.get(
    "/{name}/versions/{number}/export",
    operation_id="export_profile_version",
    response_class=Response,
    responses={200: {"content": {media: {} for media in export.MEDIA_TYPES.values()}}},
)
def export_profile_version(
    session: RequestSession,
    name: str,
    number: Number,
    format: Annotated[export.ExportFormat, Query()],
) -> Response:
    """Returns one version as a file: Patina's JSON, a zip of Geriatrix's three texts, or CSV. All import again."""
    file = export.export_version(version=service.get_version(session=session, name=name, number=number), format=format)
    headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    return Response(file.content, media_type=export.MEDIA_TYPES[format], headers=headers)


def _tagged(response: Response, profile: Profile) -> Profile:
    response.headers["ETag"] = profile.entity_tag
    return profile
