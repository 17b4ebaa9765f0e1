"""Routes of the sign-in through a provider."""

from anyio import to_thread
from fastapi import Request, Response
from sqlalchemy import func
from sqlalchemy.orm import Session

from patina.account import limit, link
from patina.account import service as account_service
from patina.account.actor import Actor
from patina.account.models import Account, CredentialKind
from patina.account.role import Role
from patina.account.schemas import AccountRead
from patina.account.secret import digest_of, new_secret
from patina.audit.recording import record_refusal
from patina.db import transaction
from patina.errors import PatinaError
from patina.http.entering import change_recorded, enter
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.http.sender import address_of, base_url_of, cookie_name, set_cookie, source_of
from patina.openid import service
from patina.openid.models import OpenidRequest
from patina.openid.provider import Claims, Provider, ProviderUnreachable, refusal, require_provider
from patina.openid.schemas import OpenidFinish, OpenidFinished, OpenidRequestCreate, OpenidRequestMade
from patina.settings import settings

CALLBACK = "/openid"  # the page that the provider sends the browser to

SessionNeeded = PatinaError.of("session_needed", "This needs a session of a browser", status=403)

router = Router(tags=["account"])


@router.post("/openid/requests", operation_id="begin_openid", status_code=201)
async def begin_openid(request: Request, response: Response, body: OpenidRequestCreate) -> OpenidRequestMade:
    """Begins a sign-in at the provider. The response has the address to open, and sets the cookie of this browser."""
    provider = require_provider()
    limit.require_left(limit.OF_SECRETS, address_of(request))
    limit.count(limit.OF_SECRETS, address_of(request))
    actor = _session_of(request) if body.is_connecting else None
    browser = request.cookies.get(_cookie_name(request)) or new_secret("browser")
    state, nonce, verifier = (new_secret(kind) for kind in ("state", "nonce", "verifier"))
    made = OpenidRequest(
        state_digest=digest_of(state),
        browser_digest=digest_of(browser),
        nonce=nonce,
        verifier=verifier,
        return_path=body.return_path,
        name=body.name,
        account_id=actor and actor.account_id,
        expires_at=func.now() + service.LIFE,
    )
    redirect_uri = _redirect_uri(request)
    url = await provider.address_for(state=state, nonce=nonce, verifier=verifier, redirect_uri=redirect_uri)
    try:
        await to_thread.run_sync(_store, made, body.link_token)
    except link.LinkRefused:
        limit.count_unknown(address_of(request))
        raise
    set_cookie(response, _cookie_name(request), browser, days=1)
    return OpenidRequestMade(url=url)


@router.post("/openid/sessions", operation_id="finish_openid")
async def finish_openid(request: Request, response: Response, body: OpenidFinish) -> OpenidFinished:
    """Ends a sign-in with what the provider sent: the response sets the cookie of a session.

    Or it makes the account of a link as well, or connects the identity with the account that asks. Failures are limited
    by address.
    """
    provider = require_provider()
    limit.require_left(limit.OF_AN_ADDRESS, address_of(request))
    claims: Claims | None = None
    try:
        asked = await to_thread.run_sync(_take, request, body.state)
        claims = await _claims_of(provider, request, body, asked)
        account = await _admit(request, response, asked, claims)
    except PatinaError as error:
        if not isinstance(error, ProviderUnreachable):
            limit.count(limit.OF_AN_ADDRESS, address_of(request))
        code, name = error.code, claims.title if claims else None
        await to_thread.run_sync(lambda: record_refusal(source_of(request, "finish_openid"), code=code, name=name))
        raise
    return OpenidFinished(account=account, return_path=asked.return_path)


@router.delete("/me/identity", operation_id="disconnect_openid", status_code=204)
def disconnect_openid(session: RequestSession, request: Request) -> None:
    """Ends the right of the provider's identity to sign in to this account. It has to have a password."""
    issuer = require_provider().issuer
    service.disconnect(session=session, account_id=_session_of(request).account_id, issuer=issuer)


async def _claims_of(provider: Provider, request: Request, body: OpenidFinish, asked: OpenidRequest) -> Claims:
    provider.require_answer_of_this(body.iss)
    if body.error is not None or body.code is None:
        raise refusal(body.error or "no code", body.error_description)
    return await provider.claims_of(
        code=body.code, nonce=asked.nonce, verifier=asked.verifier, redirect_uri=_redirect_uri(request)
    )


async def _admit(request: Request, response: Response, asked: OpenidRequest, claims: Claims) -> AccountRead:
    """Signs the browser in to the account, which a link or the first sign-in may make; or connects the identity."""
    if asked.account_id is not None:
        if _session_of(request).account_id != asked.account_id:
            raise service.StateUnknown("It began in another account. Sign in to that one, and connect again.")
        account_id = asked.account_id

        def _connect(session: Session) -> AccountRead:
            return AccountRead.model_validate(service.connect(session=session, claims=claims, account_id=account_id))

        return await change_recorded(request, "finish_openid", _connect)
    new_role = Role(settings().openid_new_role) if settings().openid_new_role else None

    def _find(session: Session) -> Account:
        if asked.link_id is not None and asked.name is not None:
            return service.join(session=session, claims=claims, link_id=asked.link_id, name=asked.name)
        return service.sign_in(session=session, claims=claims, new_role=new_role)

    return await enter(request, response, "finish_openid", _find)


def _session_of(request: Request) -> Actor:
    """Returns the account whose browser asks. A token may do less than its account, which an identity could undo."""
    actor: Actor | None = request.state.actor
    if actor is None or actor.kind != CredentialKind.SESSION:
        raise SessionNeeded("Sign in on the page first: an access token may not connect or disconnect an identity.")
    return actor


def _store(made: OpenidRequest, link_token: str | None) -> None:
    with transaction() as session:
        if link_token is not None and made.name is not None:
            found = link.find_link(session=session, secret=link_token)
            if found.account is not None:
                raise link.LinkRefused(f"This link signs in to the account {found.account.name}, and makes none.")
            account_service.require_free_name(session=session, name=made.name)
            made.link_id = found.id
        service.add_request(session=session, made=made)


def _take(request: Request, state: str) -> OpenidRequest:
    browser = request.cookies.get(_cookie_name(request), "")
    with transaction() as session:
        taken = service.take_request(session=session, state=state, browser=browser)
        session.expunge(taken)
        return taken


def _cookie_name(request: Request) -> str:
    return f"{cookie_name(request)}_openid"


def _redirect_uri(request: Request) -> str:
    return f"{base_url_of(request)}{CALLBACK}"
