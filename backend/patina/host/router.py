"""Routes of hosts and join tokens."""

from fastapi import Request
from sqlalchemy.orm import Session

from patina.host import joining, service
from patina.host.models import Host, JoinToken
from patina.host.schemas import (
    HostList,
    HostRead,
    JoinCreate,
    JoinRead,
    JoinTokenCreate,
    JoinTokenList,
    JoinTokenMade,
    JoinTokenRead,
)
from patina.http.read_only import read_only
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.use_case import remove_host as removal

router = Router(prefix="/hosts", tags=["host"])


@router.get("", operation_id="list_hosts")
@read_only
def list_hosts(session: Session) -> HostList:
    """Returns every host that ever reported, except removed ones."""
    return HostList.model_validate({"items": service.list_hosts(session=session)}, from_attributes=True)


@router.post("/tokens", operation_id="make_join_token", status_code=201)
def make_join_token(session: RequestSession, request: Request, body: JoinTokenCreate) -> JoinTokenMade:
    """Makes a token that lets other machines become hosts; only this response has it."""
    return joining.make_token(session=session, create=body, base_url=str(request.base_url))


@router.get("/tokens", operation_id="list_join_tokens")
def list_join_tokens(session: RequestSession) -> JoinTokenList:
    """Returns the newest 50, without the tokens themselves: the server stores digests."""
    return JoinTokenList.model_validate({"items": joining.list_tokens(session=session)}, from_attributes=True)


@router.delete("/tokens/{token_id}", operation_id="revoke_join_token", response_model=JoinTokenRead)
def revoke_join_token(session: RequestSession, token_id: int) -> JoinToken:
    """Revokes the token: no further host can join with it."""
    return joining.revoke_token(session=session, token_id=token_id)


@router.post("/join", operation_id="join_host")
def join_host(session: RequestSession, body: JoinCreate) -> JoinRead:
    """Returns the settings of a new host's worker; used by `patina-worker join`. Use TLS or a private network."""
    return joining.join(session=session, create=body)


@router.delete("/{host_id}", operation_id="remove_host", response_model=HostRead)
def remove_host(session: RequestSession, host_id: int) -> Host:
    """Removes a permanently lost host and its devices from the lists, and ends its access. Both return with its next
    heartbeat; a host that had an access of its own must join again first."""
    return removal.remove_host(session=session, host_id=host_id)
