"""Signatures by the Standard Webhooks specification, 1.0.0: HMAC-SHA256 with a secret that the receiver shares."""

import base64
import hashlib
import hmac
import secrets

_PREFIX = "whsec_"
_SECRET_BYTES = 32


def make_secret() -> str:
    """Returns a new secret, as shown to its user."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def sign(*, secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Returns the webhook-signature header."""
    key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
