"""Webhooks: add, list, change, remove, ping, redeliver."""

import contextlib
import secrets
from datetime import UTC, datetime

import httpx2
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from patina.errors import NotFound, PatinaError
from patina.webhook.address import checked_addresses, host_and_port
from patina.webhook.models import DeliveryState, Webhook, WebhookDelivery
from patina.webhook.schemas import (
    DeliveryPage,
    Message,
    PingData,
    WebhookCreate,
    WebhookList,
    WebhookRead,
    WebhookUpdate,
)
from patina.webhook.signing import make_secret

WEBHOOKS_COUNT_LIMIT = 50


WebhookUnknown = NotFound.of("webhook_unknown", "No such webhook")
DeliveryUnknown = NotFound.of("delivery_unknown", "No such delivery")
WebhookDisabled = PatinaError.of("webhook_disabled", "This webhook is off", status=409)
TooManyWebhooks = PatinaError.of("too_many_webhooks", "Too many webhooks", status=409)


def get_webhook(*, session: Session, webhook_id: int) -> Webhook:
    """Returns the webhook. Raises WebhookUnknown."""
    webhook = session.get(Webhook, webhook_id)
    if webhook is None:
        raise WebhookUnknown(f"There is no webhook {webhook_id}. It may have been removed.")
    return webhook


def list_webhooks(*, session: Session) -> WebhookList:
    """Returns all webhooks, the oldest first."""
    rows = session.scalars(select(Webhook).order_by(Webhook.id))
    return WebhookList(items=[WebhookRead.model_validate(row) for row in rows])


def add_webhook(*, session: Session, create: WebhookCreate) -> Webhook:
    """Adds a webhook with a new secret. Raises WebhookAddressRefused, TooManyWebhooks."""
    _check_address(create.url)
    count = session.scalar(select(func.count()).select_from(Webhook)) or 0
    if count >= WEBHOOKS_COUNT_LIMIT:
        raise TooManyWebhooks(f"There are {count} webhooks already. Remove an unused one.")
    webhook = Webhook(
        title=create.title,
        url=create.url,
        secret=make_secret(),
        kinds=list(dict.fromkeys(create.kinds)),
        is_enabled=True,
    )
    session.add(webhook)
    session.flush()
    return webhook


def change_webhook(*, session: Session, webhook_id: int, update: WebhookUpdate) -> Webhook:
    """Changes the given members. Raises WebhookUnknown, WebhookAddressRefused."""
    webhook = get_webhook(session=session, webhook_id=webhook_id)
    if update.url is not None:
        _check_address(update.url)
        webhook.url = update.url
    if update.title is not None:
        webhook.title = update.title
    if update.kinds is not None:
        webhook.kinds = list(dict.fromkeys(update.kinds))
    if update.is_enabled is not None:
        webhook.is_enabled, webhook.disabled_reason = update.is_enabled, None
    session.flush()
    return webhook


def remove_webhook(*, session: Session, webhook_id: int) -> None:
    """Removes the webhook with its deliveries; pending ones are not sent. Raises WebhookUnknown."""
    session.delete(get_webhook(session=session, webhook_id=webhook_id))
    session.flush()


def ping(*, session: Session, webhook_id: int) -> WebhookDelivery:
    """Sends a ping, once. Raises WebhookUnknown, WebhookDisabled."""
    webhook = _enabled(session, webhook_id)
    data = PingData(message=f"{webhook.title} is connected.")
    message = Message(type="ping", timestamp=datetime.now(UTC), data=data)
    delivery = WebhookDelivery(
        webhook_id=webhook.id,
        message_id=f"msg_{secrets.token_hex(16)}",
        type=message.type,
        body=message.model_dump_json(),
        state=DeliveryState.PENDING,
        tries_count=0,
        next_try_at=datetime.now(UTC),
    )
    session.add(delivery)
    session.flush()
    return delivery


def redeliver(*, session: Session, webhook_id: int, delivery_id: int) -> WebhookDelivery:
    """Sends a message again now, under the same id, by which receivers detect duplicates. Resets its tries."""
    _enabled(session, webhook_id)
    delivery = session.get(WebhookDelivery, delivery_id, with_for_update=True)
    if delivery is None or delivery.webhook_id != webhook_id:
        raise DeliveryUnknown(f"Webhook {webhook_id} has no delivery {delivery_id}.")
    delivery.state, delivery.finished_at = DeliveryState.PENDING, None
    delivery.tries_count, delivery.next_try_at = 0, datetime.now(UTC)
    session.flush()
    return delivery


def list_deliveries(*, session: Session, webhook_id: int, cursor: int | None, limit: int) -> DeliveryPage:
    """Returns a page of a webhook's deliveries, newest first. Raises WebhookUnknown."""
    get_webhook(session=session, webhook_id=webhook_id)
    its = WebhookDelivery.webhook_id == webhook_id
    return DeliveryPage.read(WebhookDelivery, its, session=session, cursor=cursor, limit=limit)


def _enabled(session: Session, webhook_id: int) -> Webhook:
    webhook = get_webhook(session=session, webhook_id=webhook_id)
    if not webhook.is_enabled:
        raise WebhookDisabled(f"Webhook {webhook.title!r} is off. Switch it on, then send.")
    return webhook


def _check_address(url: str) -> None:
    """Checks the address early, as each try does. A name without an address is accepted: it may get one later."""
    with contextlib.suppress(OSError):
        checked_addresses(*host_and_port(httpx2.URL(url)))
