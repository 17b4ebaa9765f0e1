"""The route of fits."""

from fastapi import APIRouter, Request

from patina.fit import service
from patina.fit.schemas import FitCreate, FitRead

router = APIRouter(prefix="/fits", tags=["profile"])


@router.post("", operation_id="make_fit")
def make_fit(request: Request, body: FitCreate) -> FitRead:
    """Fits a distribution to the bars of a histogram, or computes bars from parameters. Stores nothing."""
    return service.make_fit(fitter=request.app.state.fitter, create=body)
