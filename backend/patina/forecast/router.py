"""Routes of forecasts."""

from fastapi import APIRouter

from patina.core.contract.plan import Plan
from patina.forecast import service
from patina.forecast.schemas import ForecastCreate
from patina.http.request import RequestSession

router = APIRouter(prefix="/forecasts", tags=["forecast"])


@router.post("", operation_id="make_forecast")
def make_forecast(session: RequestSession, body: ForecastCreate) -> Plan:
    """What a profile needs at a capacity and fullness. Nothing is stored."""
    return service.make_forecast(session=session, create=body)
