"""Signed manifests: an Ed25519 signature in a DSSE envelope (github.com/secure-systems-lab/dsse). Shared by the server,
which signs, and the command, which verifies."""

from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

PAYLOAD_TYPE = "application/vnd.patina.manifest+json"


class NotSigned(Exception):
    """The document is not signed by the key; the message says in what it fails."""


def new_private_key() -> str:
    """Returns a new private key as PEM (PKCS 8)."""
    key = Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def public_key_of(private_key: bytes) -> str:
    """Returns the public key as PEM. Raises ValueError when the private one is no Ed25519 key."""
    key = _private(private_key).public_key()
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def sign(payload: bytes, private_key: bytes) -> dict[str, Any]:
    """Returns the envelope of a manifest. The same payload and key give the same envelope. Raises ValueError when the
    key is no Ed25519 key."""
    envelope = Envelope(payload, PAYLOAD_TYPE, {})
    envelope.sign(CryptoSigner(_private(private_key)))
    return dict(envelope.to_dict())


def verify(document: dict[str, Any], public_key: bytes) -> bytes:
    """Returns the signed payload. Raises NotSigned."""
    key = _public(public_key)
    try:
        envelope = Envelope.from_dict(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotSigned(f"It is not a DSSE envelope ({type(error).__name__}: {error}).") from error
    if envelope.payload_type != PAYLOAD_TYPE:
        raise NotSigned(f"It contains {envelope.payload_type!r}, not {PAYLOAD_TYPE!r}.")
    if key.keyid not in envelope.signatures:
        signers = ", ".join(str(keyid) for keyid in envelope.signatures) or "nobody"
        raise NotSigned(f"It is signed by another key: {signers}. The given key is {key.keyid}.")
    try:
        envelope.verify([key], 1)
    except VerificationError as error:
        raise NotSigned("The signature is not of this content: it was changed after it was signed.") from error
    return bytes(envelope.payload)


def _private(pem: bytes) -> Ed25519PrivateKey:
    key = load_pem_private_key(pem, password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("not an Ed25519 key")  # noqa: TRY004 # as for any other unsuitable content
    return key


def _public(pem: bytes) -> SSlibKey:
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise NotSigned(f"The key is not a public key in PEM ({error}).") from error
    if not isinstance(key, Ed25519PublicKey):
        raise NotSigned("The key is not an Ed25519 key.")
    return SSlibKey.from_crypto(key)
