"""Routes of runs."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field, StringConstraints
from sqlalchemy.orm import Session

from patina.forecast.schemas import ForecastCreate
from patina.read_only import read_only
from patina.request import RequestSession
from patina.run import listing, notice, pace, service, simulation, steering
from patina.run.event import RunEvent
from patina.run.models import Run
from patina.run.pace import PaceRead
from patina.run.schemas import (
    NoteWrite,
    NoticeList,
    NoticeRead,
    RunCreate,
    RunEventPage,
    RunPage,
    RunRead,
    StopConditions,
)
from patina.run.simulation import SimulationRead
from patina.run.stream import follow_run
from patina.run.stream_many import POSITION, POSITIONS, RUNS_LIMIT, follow_runs, positions_of
from patina.run.way import AgingMode

router = APIRouter(prefix="/runs", tags=["run"])
pace_router = APIRouter(prefix="/pace", tags=["run"])


@pace_router.get("", operation_id="get_pace")
def get_pace(
    session: RequestSession,
    device_id: int | None = None,
    mode: AgingMode | None = None,
    file_system: str | None = None,
) -> PaceRead:
    """How fast a device ages, by earlier runs, for the time that a forecast takes; without one, a careful guess."""
    if device_id is None:
        return pace.guess(is_rotational=False, mode=mode)
    return pace.pace_of_device(session=session, device_id=device_id, mode=mode, file_system=file_system)


simulation_router = APIRouter(prefix="/simulations", tags=["run"])


@simulation_router.post("", operation_id="simulate_run")
def simulate_run(session: RequestSession, body: ForecastCreate) -> SimulationRead:
    """A preview of a whole run, by the model alone. Nothing is stored; 15 seconds at most."""
    return simulation.simulate(session=session, create=body)


notice_router = APIRouter(prefix="/notices", tags=["run"])


@notice_router.get("", operation_id="list_notices")
@read_only
def list_notices(
    session: Session,
    run_id: Annotated[list[Annotated[int, Field(ge=1, lt=2**63)]], Query(min_length=1, max_length=200)],
) -> NoticeList:
    """The latest notice of each of these runs that has one: that it ended, or needs somebody."""
    notices = notice.latest_notices(session=session, run_ids=run_id)
    return NoticeList(items=[NoticeRead.model_validate(row) for row in notices])


def _existing_run(session: RequestSession, run_id: int) -> Run:
    return service.get_run(session=session, run_id=run_id)


# scope="function": the stream may last for hours; its look at the run must not.
ExistingRun = Annotated[Run, Depends(_existing_run, scope="function")]


async def _admitted(request: Request) -> AsyncIterator[None]:
    """Until the stream has ended."""
    with request.app.state.hub.admitted():
        yield


@router.post("", operation_id="start_run", status_code=202)
def start_run(
    session: RequestSession,
    response: Response,
    body: RunCreate,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> RunRead:
    """Queue an aging. Sent twice with one Idempotency-Key, it starts one run and answers with that run."""
    run = service.start_run(session=session, create=body, idempotency_key=idempotency_key)
    response.headers["Location"] = f"/api/v1/runs/{run.id}"
    return service.read(session=session, run=run)


@router.get("", operation_id="list_runs")
@read_only
def list_runs(
    session: Session,
    cursor: Annotated[int | None, Query(ge=1, description="Runs older than this id")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    device_id: Annotated[int | None, Query(ge=1)] = None,
) -> RunPage | str:
    """Runs, newest first."""
    return listing.list_runs(session=session, cursor=cursor, limit=limit, device_id=device_id)


def _positions(
    session: RequestSession,
    follow: Annotated[
        list[Annotated[str, StringConstraints(pattern=POSITION)]],
        Query(min_length=1, max_length=RUNS_LIMIT, description="A run and the sequence to begin after, as 3:120"),
    ],
    last_event_id: Annotated[str, Header(pattern=POSITIONS)] = "",
) -> dict[int, int]:
    positions = positions_of(follow, last_event_id)
    for run_id in positions:
        service.get_run(session=session, run_id=run_id)
    return positions


@router.get(
    "/stream",
    operation_id="stream_runs",
    response_class=EventSourceResponse,
    dependencies=[Depends(_admitted)],
    responses={200: {"model": RunEvent, "description": "One server-sent event a RunEvent; the id is all positions"}},
)
async def stream_runs(
    request: Request, positions: Annotated[dict[int, int], Depends(_positions, scope="function")]
) -> AsyncIterator[ServerSentEvent]:
    """Several runs in one stream, each as its own would be; ends when all of them have ended."""
    async for position, event in follow_runs(request=request, after=positions):
        yield ServerSentEvent(raw_data=event.model_dump_json(), id=position, retry=1000)


@router.get("/{run_id}", operation_id="get_run")
@read_only
def get_run(session: Session, run_id: int) -> RunRead:
    """One run."""
    return service.read(session=session, run=service.get_run(session=session, run_id=run_id))


@router.post("/{run_id}/cancel", operation_id="cancel_run", status_code=202)
def cancel_run(session: RequestSession, run_id: int) -> RunRead:
    """Ask a queued or running run to stop; the device is given back clean."""
    return service.read(session=session, run=steering.cancel_run(session=session, run_id=run_id))


@router.post("/{run_id}/pause", operation_id="pause_run", status_code=202)
def pause_run(session: RequestSession, run_id: int) -> RunRead:
    """Ask a run that ages to pause. It is `paused` when it has obeyed; the device stays its own."""
    return service.read(session=session, run=steering.pause_run(session=session, run_id=run_id))


@router.post("/{run_id}/resume", operation_id="resume_run", status_code=202)
def resume_run(session: RequestSession, run_id: int) -> RunRead:
    """Let a paused run go on, or an interrupted one from its checkpoint, as long as nothing else used its device."""
    return service.read(session=session, run=steering.resume_run(session=session, run_id=run_id))


@router.put("/{run_id}/stop_conditions", operation_id="change_stop_conditions", status_code=202)
def change_stop_conditions(session: RequestSession, run_id: int, body: StopConditions) -> RunRead:
    """Ask a run that ages for other stop conditions. In force once its plan is revised; its events say so."""
    run = steering.change_stop_conditions(session=session, run_id=run_id, conditions=body)
    return service.read(session=session, run=run)


@router.put("/{run_id}/note", operation_id="write_note")
def write_note(session: RequestSession, run_id: int, body: NoteWrite) -> RunRead:
    """What people want to remember of the run, in Markdown."""
    return service.read(session=session, run=steering.write_note(session=session, run_id=run_id, note=body.note))


@router.get("/{run_id}/events", operation_id="list_run_events")
@read_only
def list_run_events(
    session: Session,
    run_id: int,
    after: Annotated[int, Query(ge=0, description="Events after this sequence")] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000,
) -> RunEventPage | str:
    """Stored events in order."""
    return service.events_json(session=session, run_id=run_id, after=after, limit=limit)


@router.get(
    "/{run_id}/stream",
    operation_id="stream_run",
    response_class=EventSourceResponse,
    dependencies=[Depends(_admitted)],
    responses={200: {"model": RunEvent, "description": "One server-sent event a RunEvent; the id is its sequence"}},
)
async def stream_run(
    request: Request,
    run: ExistingRun,
    last_event_id: Annotated[int, Header(ge=0, lt=2**63)] = 0,
    after: Annotated[int, Query(ge=0, lt=2**63, description="As Last-Event-ID, for a first connection")] = 0,
) -> AsyncIterator[ServerSentEvent]:
    """Replay what was stored after Last-Event-ID, then follow; ends when the run has ended."""
    async for event in follow_run(request=request, run_id=run.id, after=max(after, last_event_id)):
        yield ServerSentEvent(raw_data=event.model_dump_json(), id=str(event.sequence), retry=1000)
