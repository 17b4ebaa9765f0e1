"""Requests and responses of accounts, sessions, access tokens and links."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from patina.account.models import NAME_PATTERN, CredentialKind, LinkPurpose, Visibility
from patina.account.password import LONGEST_CHARS
from patina.account.role import Role

AccountName = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
Password = Annotated[str, Field(min_length=1, max_length=LONGEST_CHARS, json_schema_extra={"format": "password"})]
Secret = Annotated[str, Field(min_length=1, max_length=200)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]

HOUR_S = 3600
YEAR_S = 366 * 24 * HOUR_S


class _Row(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class AccountRead(_Row):
    """A user of this server."""

    id: int
    name: str
    role: Role
    created_at: datetime
    closed_at: datetime | None = Field(description="Not null: the account cannot sign in")


class IdentityRead(_Row):
    """What the provider calls the user of an account."""

    title: str = Field(description="The name that the provider gave")
    created_at: datetime


class AccountItem(AccountRead):
    identity: IdentityRead | None = Field(default=None, description="Of the provider, that signs in to the account")


class AccountList(BaseModel):
    items: list[AccountItem]


class AccountUpdate(BaseModel):
    """Absent fields stay as they are."""

    role: Role | None = None
    is_closed: bool | None = None


class TeamRead(_Row):
    """Accounts that share what others do not see."""

    id: int
    name: str
    members: list[AccountRead]


class TeamList(BaseModel):
    items: list[TeamRead]


class TeamCreate(BaseModel):
    name: AccountName


class TeamLink(_Row):
    id: int
    name: str


class Sharing(BaseModel):
    """Who sees something. `team_id` belongs to the visibility team."""

    model_config = ConfigDict(extra="forbid")

    visibility: Visibility
    team_id: int | None = None


class SharedRead(BaseModel):
    """Who has made something, and who sees it."""

    account_name: str | None = Field(description="The account that made it; null: older than accounts, or Patina")
    visibility: Visibility
    team_id: int | None = Field(description="That it is shared with; null: none")
    team_name: str | None
    is_changeable: bool = Field(description="Whether who asks may change and share it, if the role allows that")


class Me(BaseModel):
    """Who sends this request."""

    account: AccountRead | None
    teams: list[TeamLink] = Field(description="Of the account")
    role: Role | None = Field(description="What this session or token may do; null: not signed in")
    is_owned: bool = Field(description="False: the server waits for the link of its first owner")
    provider: str | None = Field(description="The name of the provider that signs in to accounts; null: there is none")
    identity: IdentityRead | None = Field(description="Of the provider, that signs in to the account")


class SignIn(BaseModel):
    name: str = Field(max_length=100)
    password: Password


class PasswordChange(BaseModel):
    """`current` may be absent if the account has no password."""

    current: Password | None = None
    password: Password


class CredentialRead(_Row):
    """A session of a browser, or an access token."""

    id: int
    kind: CredentialKind
    title: str
    role: Role
    created_at: datetime
    seen_at: datetime | None = Field(description="Its last use, to the minute")
    expires_at: datetime
    is_current: bool = Field(default=False, description="The one that sends this request")


class CredentialList(BaseModel):
    items: list[CredentialRead]


class TokenCreate(BaseModel):
    """A role of its own limits what the token may do."""

    title: Title
    role: Role
    expires_in_s: int = Field(ge=60, le=YEAR_S)


class TokenMade(CredentialRead):
    token: str = Field(description="Shown once: the server stores a digest")


class LinkToken(BaseModel):
    token: Secret


class LinkUse(LinkToken):
    """`name` and `password` of the account to be made; for an entry, `password` replaces the old one if it is there."""

    name: AccountName | None = None
    password: Password | None = None


class LinkRead(_Row):
    """A link for one use."""

    id: int
    purpose: LinkPurpose
    role: Role
    note: str
    account: AccountRead | None = Field(description="That an entry signs in to")
    created_at: datetime
    expires_at: datetime


class LinkList(BaseModel):
    items: list[LinkRead]


class LinkMade(LinkRead):
    token: str = Field(description="Shown once: the server stores a digest")
    url: str


class InvitationCreate(BaseModel):
    role: Role
    note: str = Field(default="", max_length=200, description="For whom")
    expires_in_s: int = Field(default=72 * HOUR_S, ge=60, le=30 * 24 * HOUR_S)


class EntryCreate(BaseModel):
    expires_in_s: int = Field(default=24 * HOUR_S, ge=60, le=7 * 24 * HOUR_S)
