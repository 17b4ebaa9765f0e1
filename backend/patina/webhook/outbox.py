"""From notices to deliveries, from deliveries to tries. Every step is one transaction, in any process.

Deliveries of a notice are made once: its row is locked, and marked in the same transaction. A try is claimed in its
webhook's row, so a receiver gets one message at a time; the claim of a dead process expires.
"""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.orm import Session

from patina.image.models import Image, Origin
from patina.job.models import Job, JobNotice
from patina.run.models import Run
from patina.webhook.models import DeliveryState, Webhook, WebhookDelivery
from patina.webhook.schemas import JobData, Message, RunData
from patina.webhook.sending import TIMEOUT_S, Answer, Parcel

NOTICES_COUNT_LIMIT = 100  # at once
MESSAGE_CHARS_LIMIT = 1_000
BUSY_S = TIMEOUT_S + 45.0
TRIES_COUNT_LIMIT = 8
# 10 s, then 4.3 times as long each time: eight tries in 23 hours.
FIRST_PAUSE_S = 10.0
PAUSE_FACTOR = 4.3
JITTER_FRACTION = 0.2
KEPT_DAYS = 30


@dataclass(frozen=True)
class Claim:
    """One try, claimed by this process."""

    webhook_id: int
    delivery_id: int
    try_number: int
    parcel: Parcel


def pass_on(*, session: Session) -> None:
    """Makes deliveries of new notices: one for each webhook that receives that kind."""
    notices = session.scalars(
        select(JobNotice)
        .where(JobNotice.passed_on_at.is_(None))
        .order_by(JobNotice.id)
        .limit(NOTICES_COUNT_LIMIT)
        .with_for_update(skip_locked=True)
    ).all()
    webhooks = session.scalars(select(Webhook).where(Webhook.is_enabled)).all() if notices else []
    for notice in notices:
        wanting = [webhook for webhook in webhooks if notice.kind in webhook.kinds]
        job = session.get_one(Job, notice.job_id)
        body = _body_of(session, notice, job) if wanting else ""
        for webhook in wanting:
            session.add(
                WebhookDelivery(
                    webhook_id=webhook.id,
                    message_id=f"msg_{notice.uid.hex}",
                    type=_type_of(notice, job),
                    job_id=job.id,
                    body=body,
                    state=DeliveryState.PENDING,
                    tries_count=0,
                    next_try_at=datetime.now(UTC),
                )
            )
        notice.passed_on_at = datetime.now(UTC)
    session.flush()


def claim(*, session: Session, limit: int) -> list[Claim]:
    """Claims due deliveries, one for each webhook, `limit` at most. Rotates webhooks: a silent receiver takes long."""
    now = datetime.now(UTC)
    is_due = (WebhookDelivery.state == DeliveryState.PENDING) & (WebhookDelivery.next_try_at <= now)
    webhooks = session.scalars(
        select(Webhook)
        .where(Webhook.is_enabled, Webhook.busy_until.is_(None) | (Webhook.busy_until < now))
        .where(exists().where(WebhookDelivery.webhook_id == Webhook.id, is_due))
        .order_by(func.random())
        .limit(limit)
        .with_for_update(skip_locked=True)
    ).all()
    claims = []
    for webhook in webhooks:
        delivery = session.scalars(
            select(WebhookDelivery)
            .where(WebhookDelivery.webhook_id == webhook.id, is_due)
            .order_by(WebhookDelivery.next_try_at, WebhookDelivery.id)
            .limit(1)
            .with_for_update()
        ).one_or_none()
        if delivery is None:
            continue
        webhook.busy_until = now + timedelta(seconds=BUSY_S)
        delivery.tries_count += 1
        parcel = Parcel(url=webhook.url, secret=webhook.secret, message_id=delivery.message_id, body=delivery.body)
        claims.append(Claim(webhook.id, delivery.id, delivery.tries_count, parcel))
    session.flush()
    return claims


def record(*, session: Session, claim: Claim, answer: Answer) -> None:
    """Stores the result of a try; does nothing if the delivery was queued anew meanwhile."""
    webhook = session.get(Webhook, claim.webhook_id, with_for_update=True)
    delivery = session.get(WebhookDelivery, claim.delivery_id, with_for_update=True)
    if webhook is None or delivery is None:  # removed meanwhile
        return
    webhook.busy_until = None
    if answer.is_gone:
        webhook.is_enabled = False
        webhook.disabled_reason = "The receiver answered 410 Gone: it accepts no more messages."
    if delivery.state != DeliveryState.PENDING or delivery.tries_count != claim.try_number:
        return
    delivery.last_status, delivery.last_message = answer.status, answer.message
    tries_count_limit = 1 if delivery.type == "ping" else TRIES_COUNT_LIMIT
    is_last = answer.is_refused or answer.is_gone or delivery.tries_count >= tries_count_limit
    if answer.is_delivered or is_last:
        delivery.state = DeliveryState.DELIVERED if answer.is_delivered else DeliveryState.FAILED
        delivery.next_try_at, delivery.finished_at = None, datetime.now(UTC)
    else:
        pause_s = max(pause_before_next_s(delivery.tries_count), answer.retry_after_s)
        delivery.next_try_at = datetime.now(UTC) + timedelta(seconds=pause_s)


def pause_before_next_s(tries_count: int) -> float:
    """Returns the pause after so many tries, randomized to spread the tries of many receivers."""
    pause_s: float = FIRST_PAUSE_S * PAUSE_FACTOR ** (tries_count - 1)
    return pause_s * random.uniform(1 - JITTER_FRACTION, 1 + JITTER_FRACTION)


def forget_old(*, session: Session) -> None:
    """Removes deliveries that ended long ago."""
    before = datetime.now(UTC) - timedelta(days=KEPT_DAYS)
    session.execute(delete(WebhookDelivery).where(WebhookDelivery.finished_at < before))


def release(*, session: Session, claim: Claim) -> None:
    """Releases a claim without a try: the delivery is due at once."""
    session.execute(
        update(WebhookDelivery)
        .where(WebhookDelivery.id == claim.delivery_id, WebhookDelivery.tries_count == claim.try_number)
        .values(tries_count=claim.try_number - 1)
    )
    session.execute(update(Webhook).where(Webhook.id == claim.webhook_id).values(busy_until=None))


def _body_of(session: Session, notice: JobNotice, job: Job) -> str:
    data = _run_data(session, job, notice.message) if isinstance(job, Run) else JobData(**_facts(job, notice.message))
    message = Message(type=_type_of(notice, job), timestamp=notice.at, data=data)
    return message.model_dump_json()


def _type_of(notice: JobNotice, job: Job) -> str:
    return f"{job.kind}.{notice.kind}"


def _facts(job: Job, said: str) -> dict[str, Any]:
    return {
        "job_id": job.id,
        "job_path": f"/runs/{job.id}" if isinstance(job, Run) else f"/devices?activity={job.id}",
        "message": said if len(said) <= MESSAGE_CHARS_LIMIT else said[: MESSAGE_CHARS_LIMIT - 1] + "…",
        "device": job.device and job.device.stable_id,
        "device_path": job.device and job.device.path,
        "host": job.host.name,
        "error_code": job.error_code,
    }


def _run_data(session: Session, run: Run, said: str) -> RunData:
    image_id = session.scalar(select(Image.id).where(Image.run_id == run.id, Image.origin == Origin.AGED).limit(1))
    return RunData(
        **_facts(run, said),
        **run.in_force.model_dump(include={"profile", "profile_version_number", "workload", "file_system", "fullness"}),
        image_id=image_id,
    )
