"""Schemas of webhooks, and of the messages posted to them."""

from datetime import datetime
from typing import Annotated

import httpx2
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from patina.core.contract.workload import WorkloadName
from patina.http.page import Page
from patina.job.state import NoticeKind
from patina.webhook.models import DeliveryState


def _web_address(text: str) -> str:
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL as error:
        raise ValueError(f"no web address: {error}") from error
    if url.scheme not in ("http", "https") or not url.host or url.port not in (None, *range(1, 2**16)):
        raise ValueError("give an address that starts with https:// or http:// and names a host")
    if url.userinfo or url.fragment:
        raise ValueError("give an address without user, password and fragment")
    return text


Url = Annotated[
    str,
    StringConstraints(max_length=2000, pattern=r"^https?://[\x21-\x7e]+$"),
    AfterValidator(_web_address),
]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00]*$")]
Kinds = Annotated[list[NoticeKind], Field(min_length=1, max_length=len(NoticeKind))]


class WebhookCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: Title
    url: Url
    kinds: Kinds = [NoticeKind.SUCCEEDED, NoticeKind.FAILED, NoticeKind.NEEDS_YOU]


class WebhookUpdate(BaseModel):
    """Changes of a webhook. Absent members stay as they are."""

    model_config = ConfigDict(extra="forbid")

    title: Title | None = None
    url: Url | None = None
    kinds: Kinds | None = None
    is_enabled: bool | None = None


class WebhookRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    title: str
    url: str
    kinds: list[NoticeKind]
    is_enabled: bool
    disabled_reason: str | None = Field(description="Why Patina switched it off; null if it is on, or off by a user")
    created_at: datetime


class WebhookCreated(WebhookRead):
    """The webhook with its secret, which only this response contains."""

    secret: str = Field(description="whsec_ and base64: the key of HMAC-SHA256 over webhook-id.webhook-timestamp.body")


class WebhookList(BaseModel):
    items: list[WebhookRead]


class DeliveryRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    message_id: str = Field(description="Sent as webhook-id; the same at every try")
    type: str
    job_id: int | None = Field(description="Null for a ping")
    state: DeliveryState
    tries_count: int
    next_try_at: datetime | None
    last_status: int | None = Field(description="HTTP status of the last answer; null without one")
    last_message: str | None
    created_at: datetime
    finished_at: datetime | None


class DeliveryPage(Page[DeliveryRead]):
    """Deliveries, newest first. `next_cursor` is null on the last page."""


class JobData(BaseModel):
    """The facts of a job sent to a webhook. The rest is at /api/v1/jobs/{job_id}."""

    job_id: int
    job_path: str = Field(description="Path of its page on the sending server")
    message: str
    device: str | None = Field(description="Null for a kind without a device")
    device_path: str | None
    host: str
    error_code: str | None


class RunData(JobData):
    """The facts of a run. The rest is at /api/v1/runs/{job_id}."""

    profile: str | None = Field(description="Null for a workload")
    profile_version_number: int | None
    workload: WorkloadName | None = Field(description="Null for a run with a profile")
    file_system: str
    fullness: float | None = Field(description="Requested; null for a replay")
    image_id: int | None


class PingData(BaseModel):
    message: str


class Message(BaseModel):
    """The body of a delivery, by the Standard Webhooks specification."""

    type: str = Field(description="ping, or the kind of job and its new state: run.succeeded, import.failed")
    timestamp: datetime = Field(description="When it happened; webhook-timestamp is when it was sent")
    data: RunData | JobData | PingData
