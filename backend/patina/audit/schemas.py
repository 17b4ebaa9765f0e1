"""Responses of the audit trail."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from patina.audit.models import AuditOutcome


class AuditEntryRead(BaseModel):
    """Who did what, to what, from where."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    at: datetime
    account_id: int | None = Field(description="Null: the sender was not signed in")
    account_name: str
    credential_id: int | None
    address: str
    action: str = Field(description="The operation of the API")
    path: str
    outcome: AuditOutcome
    detail: dict[str, Any] = Field(description="Rows made and deleted, values changed; or the code of the refusal")
