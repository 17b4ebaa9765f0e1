"""Secrets of credentials and links: random, recognisable by their prefix, stored as digests."""

import hashlib
import secrets

_BYTES = 32


def new_secret(kind: str) -> str:
    """Returns a new secret, `patina-KIND-...`: scanners of leaked secrets find it by the prefix."""
    return f"patina-{kind}-{secrets.token_urlsafe(_BYTES)}"


def digest_of(secret: str) -> str:
    """Returns what is stored of it. A plain digest: the secret has 256 random bits, and cannot be guessed."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
