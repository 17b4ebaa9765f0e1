"""Forecasts of a profile at a capacity."""

from sqlalchemy.orm import Session

from patina.forecast import core
from patina.forecast.plan import Plan
from patina.forecast.schemas import ForecastCreate
from patina.profile import service as profile_service


def make_forecast(*, session: Session, create: ForecastCreate) -> Plan:
    """The plan of a profile's latest version at a capacity and fullness."""
    profile = profile_service.get_profile(session=session, name=create.profile)
    return core.forecast(
        profile=profile_service.document_of(profile.latest_version),
        capacity_bytes=create.capacity_bytes,
        fullness=create.fullness,
        max_rmse=create.max_rmse,
        max_overwrites=create.max_overwrites,
    )
