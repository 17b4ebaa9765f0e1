"""Table retention_rule."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from patina.account.models import Team
from patina.db import Base


class RetentionRule(Base):
    """Which of the images shared with a team are deleted, once an hour. A team has at most one."""

    __tablename__ = "retention_rule"
    __table_args__ = (
        CheckConstraint("num_nonnulls(keep_last_count, expire_after_s) > 0", name="deletes_something"),
        CheckConstraint("keep_last_count >= 0", name="keep_last_count_not_negative"),
        CheckConstraint("expire_after_s >= 0", name="expire_after_s_not_negative"),
        {"info": {"of_hosts": ""}},
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), unique=True)
    keep_last_count: Mapped[int | None]  # the newest of each kind stay; null: no such condition
    expire_after_s: Mapped[int | None] = mapped_column(BigInteger)  # younger images stay; null: no such condition
    keeps_tagged: Mapped[bool]
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())

    team: Mapped[Team] = relationship(lazy="joined")

    @property
    def label(self) -> str:
        """Returns its name in the audit trail."""
        return f"retention rule of team {self.team.name}" if self.team else f"retention rule {self.id}"
