"""Tables account, credential and account_link."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, func
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from patina.account.role import Role
from patina.db import Base, database_time

NAME_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,38}$"
_ROLES = ", ".join(f"'{role}'" for role in Role)
_DIGEST = "digest ~ '^[0-9a-f]{64}$'"
SECRET = {"is_secret": True}  # the audit trail leaves it out
_FOR_THE_API = {"info": {"of_hosts": ""}}


class CredentialKind(StrEnum):
    SESSION = "session"  # of a browser, in a cookie
    TOKEN = "token"  # of a program, in a header


class LinkPurpose(StrEnum):
    OWNER = "owner"  # makes the first account
    INVITATION = "invitation"  # makes an account
    ENTRY = "entry"  # signs in to an account, and sets its password
    # These show one row of the table of that name, without an account, until they expire.
    IMAGE = "image"
    PROFILE = "profile"
    JOB = "job"


SHOWING = (LinkPurpose.IMAGE, LinkPurpose.PROFILE, LinkPurpose.JOB)
_PURPOSES = ", ".join(f"'{purpose}'" for purpose in LinkPurpose)


class Visibility(StrEnum):
    """Who sees what an account has made, apart from that account and operators."""

    PRIVATE = "private"  # none
    TEAM = "team"  # the members of its team
    EVERYONE = "everyone"  # every account of this server


class Account(Base):
    """A user of this server. A closed account cannot sign in; its name stays taken."""

    __tablename__ = "account"
    __table_args__ = (
        CheckConstraint(f"name ~ '{NAME_PATTERN}'", name="name"),
        CheckConstraint(f"role IN ({_ROLES})", name="role"),
        _FOR_THE_API,
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    role: Mapped[Role]
    password_hash: Mapped[str | None] = mapped_column(info=SECRET)  # argon2id; null: signs in by links only
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    closed_at: Mapped[datetime | None]

    @property
    def label(self) -> str:
        """Returns its name in the audit trail."""
        return f"account {self.name}"


class Team(Base):
    """Accounts that share what others do not see."""

    __tablename__ = "team"
    __table_args__ = (CheckConstraint(f"name ~ '{NAME_PATTERN}'", name="name"), _FOR_THE_API)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    members: Mapped[list[Account]] = relationship(secondary="membership", order_by=Account.name)

    @property
    def label(self) -> str:
        """Returns its name in the audit trail."""
        return f"team {self.name}"


class Membership(Base):
    """An account in a team."""

    __tablename__ = "membership"
    __table_args__ = (_FOR_THE_API,)

    team_id: Mapped[int] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True, index=True)


class Credential(Base):
    """A secret that stands for an account until it expires. Only its digest is stored. Revoked: deleted."""

    __tablename__ = "credential"
    __table_args__ = (
        CheckConstraint(_DIGEST, name="digest"),
        CheckConstraint("kind IN ('session', 'token')", name="kind"),
        CheckConstraint(f"role IN ({_ROLES})", name="role"),
        _FOR_THE_API,
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    kind: Mapped[CredentialKind]
    digest: Mapped[str] = mapped_column(unique=True, info=SECRET)
    title: Mapped[str]  # of a token as entered, of a session the browser's name for itself
    role: Mapped[Role]  # the most that it may do
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    seen_at: Mapped[datetime | None]  # to the minute
    expires_at: Mapped[datetime] = mapped_column()
    is_open: Mapped[bool] = column_property(expires_at > database_time())

    account: Mapped[Account] = relationship(lazy="joined")


class AccountLink(Base):
    """A secret in an address, for one use; one that shows something, for any number. Only its digest is stored."""

    __tablename__ = "account_link"
    __table_args__ = (
        CheckConstraint(_DIGEST, name="digest"),
        CheckConstraint(f"purpose IN ({_PURPOSES})", name="purpose"),
        CheckConstraint(f"role IN ({_ROLES})", name="role"),
        *(
            CheckConstraint(f"(purpose = '{name}') = ({name}_id IS NOT NULL)", name=f"{name}_is_named")
            for name in SHOWING
        ),
        CheckConstraint("(purpose = 'entry') = (account_id IS NOT NULL)", name="entry_has_account"),
        _FOR_THE_API,
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    purpose: Mapped[LinkPurpose]
    digest: Mapped[str] = mapped_column(unique=True, info=SECRET)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))  # that an entry signs in to
    image_id: Mapped[int | None] = mapped_column(ForeignKey("image.id", ondelete="CASCADE"), index=True)
    profile_id: Mapped[int | None] = mapped_column(ForeignKey("profile.id", ondelete="CASCADE"), index=True)
    job_id: Mapped[int | None] = mapped_column(ForeignKey("job.id", ondelete="CASCADE"), index=True)
    role: Mapped[Role]  # of the account
    note: Mapped[str] = mapped_column(server_default="")  # for whom
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime] = mapped_column()
    used_at: Mapped[datetime | None] = mapped_column()
    is_open: Mapped[bool] = column_property(used_at.is_(None) & (expires_at > database_time()))

    account: Mapped[Account | None] = relationship(lazy="joined")
