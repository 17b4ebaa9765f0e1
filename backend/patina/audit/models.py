"""Table audit_entry. A trigger refuses every change of a row, by any role."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from patina.db import Base, JsonObject


class AuditOutcome(StrEnum):
    DONE = "done"
    REFUSED = "refused"  # for lack of a right, or a wrong password


class AuditEntry(Base):
    """One request that changed something, in the transaction of the change; or one that was refused."""

    __tablename__ = "audit_entry"
    __table_args__ = (
        CheckConstraint("outcome IN ('done', 'refused')", name="outcome"),
        Index("ix_audit_entry_account_id", "account_id", "id"),
        Index("ix_audit_entry_action", "action", "id"),
        {"info": {"of_api": "SELECT, INSERT", "of_hosts": ""}},
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    account_name: Mapped[str]  # at that time; as entered if the sign-in was refused
    credential_id: Mapped[int | None] = mapped_column(BigInteger)  # it may have been revoked since
    address: Mapped[str]  # of the client
    action: Mapped[str]  # the operation of the API
    path: Mapped[str]  # that the request named
    outcome: Mapped[AuditOutcome]
    detail: Mapped[JsonObject]  # rows made and deleted, and the values that changed; or the code of the refusal
