"""Table batch, and the key from a run to its batch."""

from datetime import datetime
from typing import cast

from sqlalchemy import BigInteger, ForeignKeyConstraint, Identity, Table, func
from sqlalchemy.orm import Mapped, mapped_column

from patina.db import Base, JsonObject
from patina.run.models import Run


class Batch(Base):
    """Runs with the same settings on several devices, started together. Their settings are in their own rows."""

    __tablename__ = "batch"
    __table_args__ = ({"info": {"of_hosts": "SELECT"}},)  # of users

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    asked: Mapped[JsonObject]  # the request, without the confirmations
    idempotency_key: Mapped[str | None] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


# The run slice must not import this later stage, so the foreign key is declared here.
cast(Table, Run.__table__).append_constraint(ForeignKeyConstraint([Run.__table__.c.batch_id], [Batch.__table__.c.id]))
