"""Routes of profiles."""

from fastapi import APIRouter

from patina.db import RequestSession
from patina.profile import service
from patina.profile.models import Profile
from patina.profile.schemas import ProfileList, ProfileRead

router = APIRouter(prefix="/profiles", tags=["profile"])


@router.get("", operation_id="list_profiles")
def list_profiles(session: RequestSession) -> ProfileList:
    """All profiles by name."""
    return ProfileList.model_validate({"items": service.list_profiles(session=session)}, from_attributes=True)


@router.get("/{name}", operation_id="get_profile", response_model=ProfileRead)
def get_profile(session: RequestSession, name: str) -> Profile:
    """One profile with its latest version."""
    return service.get_profile(session=session, name=name)
