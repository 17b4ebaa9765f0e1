"""Joining of other hosts: a token, made on the server and shown once, is exchanged for the settings of a worker."""

import hashlib
import secrets
from datetime import timedelta
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from patina.db import database_time
from patina.errors import NotFound, PatinaError
from patina.host import access
from patina.host.models import Host, JoinToken
from patina.host.schemas import JoinCreate, JoinRead, JoinTokenCreate, JoinTokenMade, JoinTokenRead
from patina.host.service import name_taken
from patina.settings import settings

_LISTED_COUNT = 50


JoinTokenRefused = PatinaError.of("join_token_refused", "Join token invalid or expired", status=403)
JoinTokenUnknown = NotFound.of("join_token_unknown", "No such join token")
JoinNotConfigured = PatinaError.of("join_not_configured", "Other hosts cannot reach this server yet", status=409)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def make_token(*, session: Session, create: JoinTokenCreate, base_url: str) -> JoinTokenMade:
    """Makes an unguessable token. Raises JoinNotConfigured at once, not when a machine tries to join."""
    _connections()
    token = f"join-{secrets.token_urlsafe(32)}"
    row = JoinToken(
        digest=_digest(token),
        uses_count=create.uses_count,
        used_count=0,
        expires_at=func.now() + timedelta(seconds=create.expires_in_s),
    )
    session.add(row)
    session.flush()
    session.refresh(row)
    server_url = (settings().advertised_url or base_url).rstrip("/")
    made = JoinTokenRead.model_validate(row)
    return JoinTokenMade(**made.model_dump(), token=token, server_url=server_url)


def list_tokens(*, session: Session) -> list[JoinToken]:
    """Returns the newest tokens, newest first."""
    return list(session.scalars(select(JoinToken).order_by(JoinToken.id.desc()).limit(_LISTED_COUNT)))


def revoke_token(*, session: Session, token_id: int) -> JoinToken:
    """Revokes the token: no further host can join with it. Joined hosts stay. A second call changes nothing."""
    token = session.get(JoinToken, token_id)
    if token is None:
        raise JoinTokenUnknown(f"There is no join token {token_id}.")
    if token.revoked_at is None:
        token.revoked_at = func.now()
        session.flush()
        session.refresh(token)
    return token


def join(*, session: Session, create: JoinCreate) -> JoinRead:
    """Returns the settings for one use of the token. The name of a healthy host is refused, and costs no use; the
    access of a silent host of that name ends."""
    used = session.scalar(
        update(JoinToken)
        .where(
            JoinToken.digest == _digest(create.token),
            JoinToken.revoked_at.is_(None),
            JoinToken.used_count < JoinToken.uses_count,
            JoinToken.expires_at > database_time(),
        )
        .values(used_count=JoinToken.used_count + 1)
        .returning(JoinToken.id)
    )
    if used is None:
        raise JoinTokenRefused(
            "This join token is unknown, used up, expired or revoked. Make a new one on the page Hosts."
        )
    if session.scalar(select(Host.is_healthy).where(Host.name == create.name)):
        raise name_taken(create.name)
    connections = access.give(session=session, host_name=create.name, urls=_connections())
    return JoinRead(host_name=create.name, environment=connections | _common() | {"PATINA_HOST_NAME": create.name})


def _connections() -> dict[str, str]:
    """Returns the addresses of the database and the broker for other hosts. Raises JoinNotConfigured."""
    chosen = settings()
    found = {
        "DATABASE_URL": chosen.advertised_database_url or chosen.database_url,
        "REDIS_URL": chosen.advertised_redis_url or chosen.redis_url,
    }
    for name, url in found.items():
        if _is_loopback(url):
            raise JoinNotConfigured(
                f"This server's {name} is on {urlsplit(url).hostname or 'a local socket'}, which no other host can "
                f"reach. Set PATINA_LISTEN, or PATINA_ADVERTISED_{name}; see docs/operations.md."
            )
    return found


def _common() -> dict[str, str]:
    """Returns the settings that are equal on every host."""
    chosen = settings()
    common = {
        "PATINA_GC_GRACE_S": str(chosen.gc_grace_s),
        "PATINA_LEASE_S": str(chosen.lease_s),
        "PATINA_HOST_SILENCE_S": str(chosen.host_silence_s),
    }
    if chosen.store_bucket:
        common |= {
            "PATINA_STORE_BUCKET": chosen.store_bucket,
            "PATINA_STORE_PREFIX": chosen.store_prefix,
            "PATINA_STORE_ENDPOINT": chosen.store_endpoint,
            "PATINA_STORE_REGION": chosen.store_region,
            "PATINA_STORE_ACCESS_KEY": chosen.store_access_key,
            "PATINA_STORE_SECRET_KEY": chosen.store_secret_key.get_secret_value(),
        }
    return common


def _is_loopback(url: str) -> bool:
    name = urlsplit(url).hostname
    return name is None or _is_loopback_name(name)


def _is_loopback_name(name: str | None) -> bool:
    try:
        address = ip_address(name or "")
    except ValueError:
        return name == "localhost"
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
