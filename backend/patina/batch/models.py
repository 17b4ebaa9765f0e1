"""Table batch, and how a run says which one it is of."""

from datetime import datetime
from typing import cast

from sqlalchemy import BigInteger, ForeignKeyConstraint, Identity, Table, func
from sqlalchemy.orm import Mapped, mapped_column

from patina.db import Base
from patina.run.models import Run


class Batch(Base):
    """Runs with the same settings on several devices, started together. What they are is in their rows."""

    __tablename__ = "batch"
    __table_args__ = ({"info": {"of_hosts": "SELECT"}},)  # of users

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    asked: Mapped[dict]  # type: ignore[type-arg]  # the request, without what was typed to confirm it
    idempotency_key: Mapped[str | None] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


# A run knows no later stage, so the key to this one stands here.
cast(Table, Run.__table__).append_constraint(ForeignKeyConstraint([Run.__table__.c.batch_id], [Batch.__table__.c.id]))
