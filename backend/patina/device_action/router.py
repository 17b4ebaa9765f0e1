"""Routes of actions on devices."""

from typing import Annotated

from fastapi import Header, Query, Response
from sqlalchemy.orm import Session

from patina.account.visibility import seen
from patina.device_action import restore_time, service
from patina.device_action.models import Action
from patina.device_action.restore_time import RestoreTimeRead
from patina.device_action.schemas import ActionCreate, ActionPage, ActionRead
from patina.http.page import Cursor, Limit
from patina.http.read_only import read_only
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.job import service as job_service

router = Router(prefix="/actions", tags=["action"])
restore_time_router = Router(prefix="/restore-time", tags=["action"])


@restore_time_router.get("", operation_id="get_restore_time")
def get_restore_time(session: RequestSession, device_id: int, image_id: int) -> RestoreTimeRead:
    """Returns how long a restore of the image to the device is expected to take, by measured ones alone."""
    return restore_time.expected_time(session=session, device_id=device_id, image_id=image_id)


@router.post("", operation_id="start_action", status_code=202, response_model=ActionRead)
def start_action(
    session: RequestSession,
    response: Response,
    body: ActionCreate,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> Action:
    """Queues a job on a device: restore, verify, trace, rollback or capture. Idempotent with an Idempotency-Key."""
    action = service.start_action(session=session, create=body, idempotency_key=idempotency_key)
    response.headers["Location"] = f"/api/v1/actions/{action.id}"
    return action


@router.get("", operation_id="list_actions")
@read_only
def list_actions(
    session: Session,
    cursor: Cursor = None,
    limit: Limit = 50,
    device_id: Annotated[int | None, Query(ge=1)] = None,
) -> ActionPage:
    """Returns actions, newest first."""
    of_device = [] if device_id is None else [Action.device_id == device_id]
    return ActionPage.read(Action, seen(Action), *of_device, session=session, cursor=cursor, limit=limit)


@router.get("/{action_id}", operation_id="get_action", response_model=ActionRead)
def get_action(session: RequestSession, action_id: int) -> Action:
    """Returns one action."""
    return job_service.get_job(session=session, job_id=action_id, model=Action)
