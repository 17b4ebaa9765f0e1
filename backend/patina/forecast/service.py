"""Forecasts of a profile, or of unsaved histograms, at a capacity."""

from sqlalchemy.orm import Session

from patina.core.contract.plan import Plan
from patina.forecast import core
from patina.forecast.schemas import ForecastCreate
from patina.profile import service as profile_service


def document_of_request(*, session: Session, create: ForecastCreate) -> dict[str, object]:
    """Returns the core's profile: the given histograms, or the profile's latest version. Raises ProfileUnknown."""
    if create.histograms is not None:
        return create.histograms.model_dump(mode="json")
    number = create.profile_version_number
    return profile_service.document_of(
        profile_service.version_of(session=session, name=create.profile or "", number=number)
    )


def make_forecast(*, session: Session, create: ForecastCreate) -> Plan:
    """Returns the plan of a profile's latest version, or of the given histograms, at a capacity and fullness."""
    return core.forecast(
        profile=document_of_request(session=session, create=create),
        capacity_bytes=create.capacity_bytes,
        fullness=create.fullness,
        max_rmse=create.max_rmse,
        max_overwrites=create.max_overwrites,
        max_ops=create.max_ops,
        files=create,
    )
