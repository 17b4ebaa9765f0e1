"""The route of fits."""

from fastapi import Request

from patina.fit import service
from patina.fit.schemas import FitCreate, FitRead
from patina.http.routing import Router

router = Router(prefix="/fits", tags=["profile"])


@router.post("", operation_id="make_fit")
def make_fit(request: Request, body: FitCreate) -> FitRead:
    """Fits a distribution to the bars of a histogram, or computes bars from parameters. Stores nothing."""
    return service.make_fit(fitter=request.app.state.fitter, create=body)
