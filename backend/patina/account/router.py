"""Routes of accounts: signing in and out, access tokens, links, roles."""

from collections.abc import Callable
from datetime import timedelta

from anyio import to_thread
from fastapi import Request, Response
from sqlalchemy.orm import Session

from patina.account import credential, limit, link, service, team
from patina.account.models import Account, AccountLink
from patina.account.schemas import (
    AccountItem,
    AccountList,
    AccountRead,
    AccountUpdate,
    CredentialList,
    CredentialRead,
    EntryCreate,
    IdentityRead,
    InvitationCreate,
    LinkList,
    LinkMade,
    LinkRead,
    LinkToken,
    LinkUse,
    Me,
    PasswordChange,
    SignIn,
    TeamCreate,
    TeamList,
    TeamRead,
    TokenCreate,
    TokenMade,
)
from patina.audit.recording import record_refusal
from patina.db import transaction
from patina.errors import PatinaError
from patina.http.entering import change_recorded, enter
from patina.http.request import RequestSession, Sender
from patina.http.routing import Router
from patina.http.sender import address_of, base_url_of, cookie_name, is_over_tls, source_of
from patina.openid.provider import configured_provider
from patina.openid.service import find_identity, identities_of

SignInRefused = PatinaError.of("sign_in_refused", "Name or password wrong", status=401)
PasswordWrong = PatinaError.of("password_wrong", "The current password is wrong", status=403)

router = Router(tags=["account"])


@router.get("/me", operation_id="get_me")
def get_me(session: RequestSession, request: Request) -> Me:
    """Returns the account that sends this request; null if none does."""
    actor = request.state.actor
    account = None if actor is None else session.get_one(Account, actor.account_id)
    provider = configured_provider()
    identity = provider and account and find_identity(session=session, account_id=account.id, issuer=provider.issuer)
    return Me(
        account=account and AccountRead.model_validate(account),
        teams=[] if actor is None else team.teams_of(session=session, account_id=actor.account_id),
        role=actor and actor.role,
        is_owned=service.has_owner(session=session),
        provider=provider and provider.name,
        identity=identity and IdentityRead.model_validate(identity),
    )


@router.post("/sessions", operation_id="sign_in")
async def sign_in(request: Request, response: Response, body: SignIn) -> AccountRead:
    """Signs a browser in: the response sets a cookie. Wrong passwords are limited by name and by address."""
    address = address_of(request)
    limit.require_left(limit.OF_AN_ADDRESS, address)
    limit.require_left(limit.OF_A_NAME, address, body.name)
    found = await to_thread.run_sync(_password_of, body.name)
    if not await request.app.state.password_threads.is_right(body.password, found):
        limit.count(limit.OF_AN_ADDRESS, address)
        limit.count(limit.OF_A_NAME, address, body.name)
        await to_thread.run_sync(
            lambda: record_refusal(source_of(request, "sign_in"), code="sign_in_refused", name=body.name)
        )
        raise SignInRefused("There is no open account of this name with this password.")

    def _open(session: Session) -> Account:
        account = service.find_by_name(session=session, name=body.name)
        if account is None or account.password_hash != found:
            raise SignInRefused("The account was changed at this moment. Sign in again.")
        return account

    return await enter(request, response, "sign_in", _open)


@router.delete("/sessions/current", operation_id="sign_out", status_code=204)
def sign_out(session: RequestSession, request: Request, response: Response) -> None:
    """Ends the session or the token that sends this request. Without one it changes nothing."""
    actor = request.state.actor
    if actor is not None:
        credential.revoke(session=session, account_id=actor.account_id, credential_id=actor.credential_id)
    response.delete_cookie(cookie_name(request), path="/", secure=is_over_tls(), httponly=True, samesite="lax")


@router.get("/credentials", operation_id="list_credentials")
def list_credentials(session: RequestSession, sender: Sender) -> CredentialList:
    """Returns the sessions and access tokens of this account."""
    rows = credential.list_credentials(session=session, account_id=sender.account_id)
    items = [CredentialRead.model_validate(row) for row in rows]
    return CredentialList(
        items=[item.model_copy(update={"is_current": item.id == sender.credential_id}) for item in items]
    )


@router.delete("/credentials", operation_id="sign_out_everywhere", status_code=204)
def sign_out_everywhere(session: RequestSession, sender: Sender) -> None:
    """Ends all other sessions and all access tokens of this account."""
    credential.revoke_all(session=session, account_id=sender.account_id, but=sender.credential_id)


@router.delete("/credentials/{credential_id}", operation_id="revoke_credential", status_code=204)
def revoke_credential(session: RequestSession, sender: Sender, credential_id: int) -> None:
    """Ends a session or an access token of this account."""
    credential.revoke(session=session, account_id=sender.account_id, credential_id=credential_id)


@router.post("/tokens", operation_id="make_token", status_code=201)
def make_token(session: RequestSession, sender: Sender, body: TokenCreate) -> TokenMade:
    """Makes an access token for programs; only this response has it."""
    made, secret = credential.make_token(
        session=session,
        account_id=sender.account_id,
        most=sender.role,
        title=body.title,
        role=body.role,
        expires_in=timedelta(seconds=body.expires_in_s),
    )
    return TokenMade(**CredentialRead.model_validate(made).model_dump(), token=secret)


@router.put("/me/password", operation_id="change_password", status_code=204)
async def change_password(request: Request, sender: Sender, body: PasswordChange) -> None:
    """Changes the password of this account, and ends its sessions in other browsers."""
    address = address_of(request)
    limit.require_left(limit.OF_A_NAME, address, sender.name)
    stored = await to_thread.run_sync(_password_of, sender.name)
    if stored is not None and not await request.app.state.password_threads.is_right(body.current or "", stored):
        limit.count(limit.OF_A_NAME, address, sender.name)
        raise PasswordWrong("The current password is another one. Nothing was changed.")
    new = await request.app.state.password_threads.hashed(body.password)

    def _change(session: Session) -> None:
        account = service.get_open_account(session=session, account_id=sender.account_id)
        service.set_password(session=session, account=account, password_hash=new, but=sender.credential_id)

    await change_recorded(request, "change_password", _change)


@router.post("/links/opening", operation_id="open_link")
async def open_link(request: Request, body: LinkToken) -> LinkRead:
    """Returns what a link is for, and does not use it."""
    return await _try_link(request, lambda: _read_link(body.token))


@router.post("/links/use", operation_id="use_link")
async def use_link(request: Request, response: Response, body: LinkUse) -> AccountRead:
    """Uses a link: makes an account or signs in to one. The response sets the cookie of the session."""
    await _try_link(request, lambda: _read_link(body.token))
    new = None if body.password is None else await request.app.state.password_threads.hashed(body.password)

    def _use(session: Session) -> Account:
        return link.use_link(session=session, secret=body.token, name=body.name, password_hash=new)

    return await enter(request, response, "use_link", _use)


@router.get("/links", operation_id="list_links")
def list_links(session: RequestSession) -> LinkList:
    """Returns the links that can still be used, without their secrets."""
    return LinkList.model_validate({"items": link.list_links(session=session)}, from_attributes=True)


@router.post("/links", operation_id="invite", status_code=201)
def invite(session: RequestSession, request: Request, body: InvitationCreate) -> LinkMade:
    """Makes a link that makes an account; only this response has it."""
    expires_in = timedelta(seconds=body.expires_in_s)
    made, secret = link.make_invitation(session=session, role=body.role, note=body.note, expires_in=expires_in)
    return _made(request, made, secret)


@router.delete("/links/{link_id}", operation_id="revoke_link", status_code=204)
def revoke_link(session: RequestSession, link_id: int) -> None:
    """Ends a link."""
    link.revoke_link(session=session, link_id=link_id)


@router.get("/accounts", operation_id="list_accounts")
def list_accounts(session: RequestSession) -> AccountList:
    """Returns every account by name."""
    provider = configured_provider()
    found = {} if provider is None else identities_of(session=session, issuer=provider.issuer)
    identities = {number: IdentityRead.model_validate(identity) for number, identity in found.items()}
    items = [AccountItem.model_validate(account) for account in service.list_accounts(session=session)]
    return AccountList(items=[item.model_copy(update={"identity": identities.get(item.id)}) for item in items])


@router.patch("/accounts/{account_id}", operation_id="change_account")
def change_account(session: RequestSession, account_id: int, body: AccountUpdate) -> AccountRead:
    """Changes the role of an account; closes it or opens it again."""
    account = service.change_account(session=session, account_id=account_id, role=body.role, is_closed=body.is_closed)
    return AccountRead.model_validate(account)


@router.post("/accounts/{account_id}/links", operation_id="make_entry_link", status_code=201)
def make_entry_link(session: RequestSession, request: Request, account_id: int, body: EntryCreate) -> LinkMade:
    """Makes a link that signs in to the account, and may set a new password; only this response has it."""
    expires_in = timedelta(seconds=body.expires_in_s)
    made, secret = link.make_entry(session=session, account_id=account_id, expires_in=expires_in)
    return _made(request, made, secret)


@router.get("/teams", operation_id="list_teams")
def list_teams(session: RequestSession) -> TeamList:
    """Returns every team with its members, by name."""
    return TeamList.model_validate({"items": team.list_teams(session=session)}, from_attributes=True)


@router.post("/teams", operation_id="make_team", status_code=201)
def make_team(session: RequestSession, body: TeamCreate) -> TeamRead:
    """Makes a team without members."""
    return TeamRead.model_validate(team.make_team(session=session, name=body.name))


@router.delete("/teams/{team_id}", operation_id="remove_team", status_code=204)
def remove_team(session: RequestSession, team_id: int) -> None:
    """Removes a team that shares no image."""
    team.remove_team(session=session, team_id=team_id)


@router.put("/teams/{team_id}/members/{account_id}", operation_id="add_member")
def add_member(session: RequestSession, team_id: int, account_id: int) -> TeamRead:
    """Adds an account to a team. A second call changes nothing."""
    return TeamRead.model_validate(team.add_member(session=session, team_id=team_id, account_id=account_id))


@router.delete("/teams/{team_id}/members/{account_id}", operation_id="remove_member")
def remove_member(session: RequestSession, team_id: int, account_id: int) -> TeamRead:
    """Removes an account from a team: it no longer sees what the team shares, but for what is its own."""
    return TeamRead.model_validate(team.remove_member(session=session, team_id=team_id, account_id=account_id))


def _made(request: Request, made: AccountLink, secret: str) -> LinkMade:
    url = f"{base_url_of(request)}/enter#{secret}"
    return LinkMade(**LinkRead.model_validate(made).model_dump(), token=secret, url=url)


def _password_of(name: str) -> str | None:
    with transaction() as session:
        account = service.find_by_name(session=session, name=name)
        return None if account is None else account.password_hash


def _read_link(secret: str) -> LinkRead:
    with transaction() as session:
        return LinkRead.model_validate(link.find_link(session=session, secret=secret))


async def _try_link(request: Request, read: Callable[[], LinkRead]) -> LinkRead:
    try:
        return await to_thread.run_sync(read)
    except link.LinkRefused:
        limit.count_unknown(address_of(request))
        raise
