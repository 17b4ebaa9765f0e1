"""Routes of webhooks."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request, Response

from patina.db import after_commit
from patina.http.page import Limit
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.webhook import service
from patina.webhook.deliverer import Deliverer
from patina.webhook.schemas import (
    DeliveryPage,
    DeliveryRead,
    WebhookCreate,
    WebhookCreated,
    WebhookList,
    WebhookRead,
    WebhookUpdate,
)

router = Router(prefix="/webhooks", tags=["webhook"])

Id = Annotated[int, Path(ge=1, lt=2**63)]


def _wake_after_commit(request: Request, session: RequestSession) -> None:
    deliverer: Deliverer = request.app.state.deliverer
    after_commit(session, deliverer.wake)


@router.get("", operation_id="list_webhooks")
def list_webhooks(session: RequestSession) -> WebhookList:
    """Returns every webhook, the oldest first, without secrets."""
    return service.list_webhooks(session=session)


@router.post("", operation_id="add_webhook", status_code=201)
def add_webhook(session: RequestSession, response: Response, body: WebhookCreate) -> WebhookCreated:
    """Adds a webhook, which posts notices of runs to an address. Only this response contains its secret."""
    webhook = service.add_webhook(session=session, create=body)
    response.headers["Location"] = f"/api/v1/webhooks/{webhook.id}"
    return WebhookCreated.model_validate(webhook)


@router.get("/{webhook_id}", operation_id="get_webhook")
def get_webhook(session: RequestSession, webhook_id: Id) -> WebhookRead:
    """Returns one webhook, without its secret."""
    return WebhookRead.model_validate(service.get_webhook(session=session, webhook_id=webhook_id))


@router.patch("/{webhook_id}", operation_id="change_webhook")
def change_webhook(session: RequestSession, webhook_id: Id, body: WebhookUpdate) -> WebhookRead:
    """Changes the given members. Pending deliveries go to the new address."""
    return WebhookRead.model_validate(service.change_webhook(session=session, webhook_id=webhook_id, update=body))


@router.delete("/{webhook_id}", operation_id="remove_webhook", status_code=204)
def remove_webhook(session: RequestSession, webhook_id: Id) -> None:
    """Removes the webhook, with its secret and deliveries."""
    service.remove_webhook(session=session, webhook_id=webhook_id)


@router.post(
    "/{webhook_id}/ping", operation_id="ping_webhook", status_code=202, dependencies=[Depends(_wake_after_commit)]
)
def ping_webhook(session: RequestSession, webhook_id: Id) -> DeliveryRead:
    """Sends a ping, once."""
    return DeliveryRead.model_validate(service.ping(session=session, webhook_id=webhook_id))


@router.get("/{webhook_id}/deliveries", operation_id="list_deliveries")
def list_deliveries(
    session: RequestSession,
    webhook_id: Id,
    cursor: Annotated[int | None, Query(ge=1, lt=2**63, description="Deliveries older than this id")] = None,
    limit: Limit = 50,
) -> DeliveryPage:
    """Returns deliveries and their results, newest first. Kept for thirty days."""
    return service.list_deliveries(session=session, webhook_id=webhook_id, cursor=cursor, limit=limit)


@router.post(
    "/{webhook_id}/deliveries/{delivery_id}/redeliver",
    operation_id="redeliver",
    status_code=202,
    dependencies=[Depends(_wake_after_commit)],
)
def redeliver(session: RequestSession, webhook_id: Id, delivery_id: Id) -> DeliveryRead:
    """Sends the delivery again now, under the same id."""
    return DeliveryRead.model_validate(
        service.redeliver(session=session, webhook_id=webhook_id, delivery_id=delivery_id)
    )
