"""Who sends a request: the account of its access token or of its session's cookie."""

import base64
import binascii

from anyio import to_thread
from fastapi import Request, Response

from patina.account import limit, link
from patina.account.actor import Actor, Guest
from patina.account.credential import find_actor
from patina.account.known import changes_count, keep, known
from patina.account.secret import digest_of
from patina.audit.recording import Source
from patina.db import transaction
from patina.settings import settings


def address_of(request: Request) -> str:
    """Returns the address of the connection."""
    return request.client.host if request.client else ""


def cookie_name(request: Request) -> str:
    """Returns the name of the session's cookie. Browsers do not tell ports apart: two servers on one machine would
    overwrite each other's."""
    return "__Host-patina" if is_over_tls() else f"patina_{request.url.port or 80}"


def base_url_of(request: Request) -> str:
    """Returns the address of this server for links: the advertised one, or the one of the request."""
    return (settings().advertised_url or str(request.base_url)).rstrip("/")


def set_cookie(response: Response, name: str, secret: str, *, days: int) -> None:
    """Sets a cookie that no script reads and no other site sends."""
    response.set_cookie(
        name,
        secret,
        max_age=days * 24 * 3600,
        path="/",
        secure=is_over_tls(),
        httponly=True,
        samesite="lax",
    )


def guest_cookie_name(request: Request) -> str:
    """Returns the name of the cookie of a link to an image."""
    return f"{cookie_name(request)}_link"


def is_over_tls() -> bool:
    """Returns whether browsers reach this server over TLS."""
    return settings().advertised_url.startswith("https://")


async def find_sender(request: Request) -> Actor | None:
    """Returns the account of the request's credential; None if it has none that is valid. Raises TooManyTries."""
    secret = _secret_of(request)
    if secret is None:
        return None
    digest = digest_of(secret)
    found = known(digest)
    if found is not None:
        return found
    changes = changes_count()
    found = await to_thread.run_sync(_find, secret)
    if found is None:
        limit.count_unknown(address_of(request))
    else:
        keep(digest, found, changes=changes)
    return found


async def find_guest(request: Request, *, is_counted: bool) -> Guest | None:
    """Returns what the cookie of a link shows; None if there is none that is valid, which may be counted as a guess."""
    secret = request.cookies.get(guest_cookie_name(request))
    if secret is None:
        return None
    found = await to_thread.run_sync(_find_guest, secret)
    if found is None and is_counted:
        limit.count_unknown(address_of(request))
    return found


def _find_guest(secret: str) -> Guest | None:
    with transaction() as session:
        return link.find_guest(session=session, secret=secret)


def _find(secret: str) -> Actor | None:
    with transaction() as session:
        return find_actor(session=session, secret=secret)


def _secret_of(request: Request) -> str | None:
    """Returns the bearer token, the password of HTTP Basic (for programs that know no other way, such as casync and
    Prometheus), or the cookie."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return request.cookies.get(cookie_name(request))


def source_of(request: Request, action: str) -> Source:
    """Returns what the audit trail states about the request."""
    return Source(
        actor=request.scope.get("state", {}).get("actor"),
        address=address_of(request),
        action=action,
        path=request.url.path,
    )
