"""Routes of links that show something without an account."""

from datetime import timedelta
from typing import Annotated

from fastapi import Query, Request, Response

from patina.account import limit, link
from patina.account.actor import current_guest
from patina.account.schemas import LinkToken
from patina.account.visibility import require_changeable
from patina.http.request import RequestSession
from patina.http.routing import Router
from patina.http.sender import address_of, base_url_of, guest_cookie_name, set_cookie
from patina.shared_link import service
from patina.shared_link.schemas import (
    SharedLinkCreate,
    SharedLinkList,
    SharedLinkMade,
    SharedLinkRead,
    Shown,
    ShownRead,
)

router = Router(prefix="/shared-links", tags=["shared links"])


@router.get("", operation_id="list_shared_links")
def list_shared_links(session: RequestSession, shown: Annotated[Shown, Query()]) -> SharedLinkList:
    """Returns the links that show an image, a profile, a run or a trial and have not expired, without their secrets."""
    row = service.find_shown(session=session, shown=shown)
    found = link.list_shared_links(session=session, row=row)
    return SharedLinkList.model_validate({"items": found}, from_attributes=True)


@router.post("", operation_id="make_shared_link", status_code=201)
def make_shared_link(session: RequestSession, request: Request, body: SharedLinkCreate) -> SharedLinkMade:
    """Makes a link that shows an image with its downloads, a profile, a run or a trial, without an account, until it
    expires. Only this response has it."""
    row = service.find_shown(session=session, shown=body)
    expires_in = timedelta(seconds=body.expires_in_s)
    made, secret = link.make_shared_link(session=session, row=row, expires_in=expires_in)
    url = f"{base_url_of(request)}/shared#{secret}"
    return SharedLinkMade(**SharedLinkRead.model_validate(made).model_dump(), token=secret, url=url)


@router.delete("/{link_id}", operation_id="revoke_shared_link", status_code=204)
def revoke_shared_link(session: RequestSession, link_id: int) -> None:
    """Ends a link at once."""
    found = link.get_shared_link(session=session, link_id=link_id)
    require_changeable(service.row_of(session=session, link=found))
    session.delete(found)


@router.post("/opening", operation_id="open_shared_link")
def open_shared_link(session: RequestSession, request: Request, response: Response, body: LinkToken) -> ShownRead:
    """Returns what a link shows. The response sets the cookie with which the bearer reads it."""
    guest = link.find_guest(session=session, secret=body.token)
    if guest is None:
        limit.count_unknown(address_of(request))
        raise link.LinkRefused("This link is unknown, was revoked, or has expired. Ask for a new one.")
    current_guest.set(guest)
    found = service.opened(session=session, guest=guest)
    set_cookie(response, guest_cookie_name(request), body.token, days=90)
    return found
