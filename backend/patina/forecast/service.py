"""Forecasts of a profile, or of histograms that are no profile yet, at a capacity."""

from sqlalchemy.orm import Session

from patina.forecast import core
from patina.forecast.plan import Plan
from patina.forecast.schemas import ForecastCreate
from patina.profile import service as profile_service


def make_forecast(*, session: Session, create: ForecastCreate) -> Plan:
    """The plan of a profile's latest version, or of the histograms given, at a capacity and fullness."""
    if create.histograms is not None:
        document: dict[str, object] = create.histograms.model_dump(mode="json")
    else:
        profile = profile_service.get_profile(session=session, name=create.profile or "")
        document = profile_service.document_of(profile.latest_version)
    return core.forecast(
        profile=document,
        capacity_bytes=create.capacity_bytes,
        fullness=create.fullness,
        max_rmse=create.max_rmse,
        max_overwrites=create.max_overwrites,
        max_ops=create.max_ops,
    )
