"""Routes of jobs of all kinds, their events, and their notices."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Header, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field, StringConstraints
from sqlalchemy.orm import Session

from patina.account.schemas import Sharing
from patina.activity import events, listing
from patina.activity.payload import JobEvent, JobEventPage
from patina.activity.schemas import JobPage
from patina.activity.stream import follow_job
from patina.activity.stream_many import POSITION, POSITIONS, follow_jobs, positions_of
from patina.http.page import Cursor, Limit
from patina.http.read_only import read_only
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.job import notice, service
from patina.job.feed import JOBS_LIMIT
from patina.job.models import Job
from patina.job.queue_of_device import JobQueue, queue_of
from patina.job.schemas import JobRead, NoticeList, NoticeRead
from patina.job.state import JobState
from patina.use_case import share_job as use_case

router = Router(prefix="/jobs", tags=["job"])
notice_router = Router(prefix="/notices", tags=["job"])

JobId = Annotated[int, Field(ge=1, lt=2**63)]


@notice_router.get("", operation_id="list_notices")
@read_only
def list_notices(session: Session, job_id: Annotated[list[JobId], Query(min_length=1, max_length=200)]) -> NoticeList:
    """Returns the latest notice of each of these jobs that has one: the job ended, or needs a user."""
    notices = notice.latest_notices(session=session, job_ids=job_id)
    return NoticeList(items=[NoticeRead.model_validate(row) for row in notices])


@router.get("", operation_id="list_jobs")
@read_only
def list_jobs(
    session: Session,
    cursor: Cursor = None,
    limit: Limit = 50,
    kind: Annotated[str | None, Query(max_length=50)] = None,
    host_id: Annotated[int | None, Query(ge=1)] = None,
    device_id: Annotated[int | None, Query(ge=1)] = None,
    state: JobState | None = None,
    is_open: Annotated[bool | None, Query(description="true: only open jobs; false: only ended ones")] = None,
) -> JobPage | str:
    """Returns jobs of all kinds, newest first."""
    return listing.list_jobs(
        session=session,
        limit=limit,
        cursor=cursor,
        kind=kind,
        host_id=host_id,
        device_id=device_id,
        state=state,
        is_open=is_open,
    )


async def _admitted(request: Request) -> AsyncIterator[None]:
    """Counts the stream until it has ended."""
    with request.app.state.hub.admitted():
        yield


def _positions(
    session: RequestSession,
    follow: Annotated[
        list[Annotated[str, StringConstraints(pattern=POSITION)]],
        Query(min_length=1, max_length=JOBS_LIMIT, description="A job and the sequence to begin after, as 3:120"),
    ],
    last_event_id: Annotated[str, Header(pattern=POSITIONS)] = "",
) -> dict[int, int]:
    positions = positions_of(follow, last_event_id)
    for job_id in positions:
        service.get_state(session=session, job_id=job_id)
    return positions


@router.get(
    "/stream",
    operation_id="stream_jobs",
    response_class=EventSourceResponse,
    dependencies=[Depends(_admitted)],
    responses={200: {"model": JobEvent, "description": "One server-sent event a JobEvent; the id is all positions"}},
)
async def stream_jobs(
    request: Request, positions: Annotated[dict[int, int], Depends(_positions, scope="function")]
) -> AsyncIterator[ServerSentEvent]:
    """Streams the events of several jobs, each as in a stream of its own; ends with the last job."""
    async for position, event in follow_jobs(request=request, after=positions):
        yield ServerSentEvent(raw_data=event.text, id=position, retry=1000)


@router.get("/{job_id}", operation_id="get_job", response_model=JobRead)
def get_job(session: RequestSession, job_id: int) -> Job:
    """Returns one job, without the members of its kind."""
    return service.get_job(session=session, job_id=job_id, model=Job)


@router.get("/{job_id}/queue", operation_id="get_queue")
@read_only
def get_queue(session: Session, job_id: int) -> JobQueue:
    """Returns the jobs that come before this one on its device."""
    return queue_of(session=session, job_id=job_id)


@router.post("/{job_id}/stop", operation_id="stop_job", status_code=202, response_model=JobRead)
def stop_job(session: RequestSession, job_id: int) -> Job:
    """Requests a stop: cancels a waiting job at once; a running one releases its device, a trace keeps its delta."""
    return service.stop(session=session, job_id=job_id)


@router.post("/{job_id}/retry", operation_id="retry_job", status_code=202, response_model=JobRead)
def retry_job(session: RequestSession, job_id: int) -> Job:
    """Queues the job again with the same request, if its kind can be tried again."""
    return service.retry(session=session, job_id=job_id)


@router.put("/{job_id}/sharing", operation_id="share_job", response_model=JobRead)
def share_job(session: RequestSession, job_id: int, body: Sharing) -> Job:
    """Changes who sees the job; of a run of a batch, who sees all runs of the batch. Its account, the members of its
    team and operators may. Its image keeps its own visibility."""
    return use_case.share_job(session=session, job_id=job_id, sharing=body)


@router.get("/{job_id}/events", operation_id="list_job_events")
@read_only
def list_job_events(
    session: Session,
    job_id: int,
    after: Annotated[int, Query(ge=0, description="Events after this sequence")] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000,
) -> JobEventPage | str:
    """Returns stored events in order."""
    return events.events_json(session=session, job_id=job_id, after=after, limit=limit)


def _existing_job(session: RequestSession, job_id: int) -> int:
    service.get_state(session=session, job_id=job_id)
    return job_id


@router.get(
    "/{job_id}/stream",
    operation_id="stream_job",
    response_class=EventSourceResponse,
    dependencies=[Depends(_admitted)],
    responses={200: {"model": JobEvent, "description": "One server-sent event a JobEvent; the id is its sequence"}},
)
async def stream_job(
    request: Request,
    # scope="function": the stream may last for hours; its transaction must not.
    job_id: Annotated[int, Depends(_existing_job, scope="function")],
    last_event_id: Annotated[int, Header(ge=0, lt=2**63)] = 0,
    after: Annotated[int, Query(ge=0, lt=2**63, description="As Last-Event-ID, for a first connection")] = 0,
) -> AsyncIterator[ServerSentEvent]:
    """Replays the events stored after Last-Event-ID, then follows; ends with the job."""
    async for event in follow_job(request=request, job_id=job_id, after=max(after, last_event_id)):
        yield ServerSentEvent(raw_data=event.text, id=str(event.sequence), retry=1000)
