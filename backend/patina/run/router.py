"""Routes of runs."""

from typing import Annotated

from fastapi import Header, Query, Response
from sqlalchemy.orm import Session

from patina.core.contract.way import AgingMode
from patina.forecast.schemas import ForecastCreate
from patina.http.read_only import read_only
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.run import listing, naming, pace, service, simulation, steering
from patina.run.pace import PaceRead
from patina.run.schemas import ExtensionCreate, RunChange, RunCreate, RunPage, RunRead
from patina.run.search import RunQuery
from patina.run.settings import StopConditions
from patina.run.simulation import SimulationRead
from patina.use_case import extend_run as use_case

router = Router(prefix="/runs", tags=["run"])
pace_router = Router(prefix="/pace", tags=["run"])


@pace_router.get("", operation_id="get_pace")
def get_pace(
    session: RequestSession,
    device_id: int | None = None,
    mode: AgingMode | None = None,
    file_system: str | None = None,
) -> PaceRead:
    """Returns a device's pace, by earlier runs, to estimate the duration of a plan; without any, a careful guess."""
    if device_id is None:
        return pace.guess(is_rotational=False, mode=mode)
    return pace.pace_of_device(session=session, device_id=device_id, mode=mode, file_system=file_system)


simulation_router = Router(prefix="/simulations", tags=["run"])


@simulation_router.post("", operation_id="simulate_run")
def simulate_run(session: RequestSession, body: ForecastCreate) -> SimulationRead:
    """Previews a whole run by the model alone, for 15 seconds at most. Stores nothing."""
    return simulation.simulate(session=session, create=body)


@router.post("", operation_id="start_run", status_code=202)
def start_run(
    session: RequestSession,
    response: Response,
    body: RunCreate,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> RunRead:
    """Queues an aging. Idempotent with an Idempotency-Key: a second request returns the same run."""
    run = service.start_run(session=session, create=body, idempotency_key=idempotency_key)
    response.headers["Location"] = f"/api/v1/runs/{run.id}"
    return service.read(session=session, run=run)


@router.get("", operation_id="list_runs")
@read_only
def list_runs(session: Session, asked: Annotated[RunQuery, Query()]) -> RunPage | str:
    """Returns the runs that a search finds, in pages."""
    return listing.list_runs(session=session, asked=asked)


@router.get("/{run_id}", operation_id="get_run")
@read_only
def get_run(session: Session, run_id: int) -> RunRead:
    """Returns one run."""
    return service.read(session=session, run=service.get_run(session=session, run_id=run_id))


@router.post("/{run_id}/pause", operation_id="pause_run", status_code=202)
def pause_run(session: RequestSession, run_id: int) -> RunRead:
    """Requests a pause of an aging run. The run is `paused` once it has paused; it keeps its device."""
    return service.read(session=session, run=steering.pause_run(session=session, run_id=run_id))


@router.post("/{run_id}/resume", operation_id="resume_run", status_code=202)
def resume_run(session: RequestSession, run_id: int) -> RunRead:
    """Resumes a paused run, or an interrupted one from its checkpoint if no other job has used its device."""
    return service.read(session=session, run=steering.resume_run(session=session, run_id=run_id))


@router.put("/{run_id}/stop_conditions", operation_id="change_stop_conditions", status_code=202)
def change_stop_conditions(session: RequestSession, run_id: int, body: StopConditions) -> RunRead:
    """Requests other stop conditions of an aging run. They are in force once its plan is revised, which is an event."""
    run = steering.change_stop_conditions(session=session, run_id=run_id, conditions=body)
    return service.read(session=session, run=run)


@router.patch("/{run_id}", operation_id="change_run")
def change_run(session: RequestSession, run_id: int, body: RunChange) -> RunRead:
    """Changes the run's name, tags or note, or archives it."""
    return service.read(session=session, run=naming.change_run(session=session, run_id=run_id, change=body))


@router.post("/{run_id}/extend", operation_id="extend_run", status_code=202)
def extend_run(
    session: RequestSession,
    response: Response,
    run_id: int,
    body: ExtensionCreate,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> RunRead:
    """Ages a finished run further, as a new run, if its device still holds the result."""
    run = use_case.extend_run(session=session, run_id=run_id, create=body, idempotency_key=idempotency_key)
    response.headers["Location"] = f"/api/v1/runs/{run.id}"
    return service.read(session=session, run=run)
