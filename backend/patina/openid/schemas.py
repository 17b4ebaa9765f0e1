"""Requests and responses of the sign-in through a provider."""

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints, model_validator

from patina.account.schemas import AccountName, AccountRead, Secret

# A path of this server. `//host` and `/\host` are other servers for a browser, which also skips spaces.
RETURN_PATTERN = r"^/([^/\\\s\x00-\x1f][^\\\s\x00-\x1f]*)?$"

ReturnPath = Annotated[str, StringConstraints(pattern=RETURN_PATTERN, max_length=2000)]
Answered = Annotated[str, Field(max_length=4000)]


class OpenidRequestCreate(BaseModel):
    """A sign-in; with a link and a name, the making of an account; or the connection of the account that asks."""

    return_path: ReturnPath = Field(default="/", description="The page to show at the end")
    link_token: Secret | None = Field(default=None, description="Of an invitation")
    name: AccountName | None = Field(default=None, description="Of the account that the link makes")
    is_connecting: bool = Field(default=False, description="The identity is to sign in to the account that asks")

    @model_validator(mode="after")
    def _have_one_purpose(self) -> "OpenidRequestCreate":
        if (self.link_token is None) != (self.name is None):
            raise ValueError("A link and the name of the account that it makes come together.")
        if self.is_connecting and self.link_token is not None:
            raise ValueError("An account is made by a link, or connected, not both.")
        return self


class OpenidRequestMade(BaseModel):
    url: str = Field(description="Of the provider, for the browser to open")


class OpenidFinish(BaseModel):
    """What the provider sent to the browser in the address of the page `/openid`."""

    state: Secret
    code: Answered | None = None
    error: Answered | None = None
    error_description: Answered | None = None
    iss: Answered | None = None


class OpenidFinished(BaseModel):
    account: AccountRead
    return_path: str
