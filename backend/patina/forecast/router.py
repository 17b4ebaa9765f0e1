"""Routes of forecasts."""

from patina.core.contract.plan import Plan
from patina.forecast import service
from patina.forecast.schemas import ForecastCreate
from patina.http.request import RequestSession
from patina.http.routing import Router

router = Router(prefix="/forecasts", tags=["forecast"])


@router.post("", operation_id="make_forecast")
def make_forecast(session: RequestSession, body: ForecastCreate) -> Plan:
    """Returns the requirements of a profile at a capacity and fullness. Stores nothing."""
    return service.make_forecast(session=session, create=body)
