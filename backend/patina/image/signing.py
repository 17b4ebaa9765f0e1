"""Signs the manifests of this server with its key, which is made once."""

import base64
import json
import os
from collections.abc import Generator
from pathlib import Path

from patina.errors import PatinaError
from patina.image.download import open_index
from patina.image.manifest import manifest_of
from patina.image.models import Image
from patina.image.place import require_here
from patina.image.signature import new_private_key, public_key_of, sign
from patina.settings import settings

ManifestKeyUnusable = PatinaError.of("manifest_key_unusable", "The key for manifests cannot be used")


def public_key() -> str:
    """Returns this server's public key as PEM. Raises ManifestKeyUnusable."""
    path = settings().manifest_key_path
    try:
        return public_key_of(_key(path))
    except ValueError as error:
        raise _not_a_key(path, error) from error


def signed_manifest(image: Image) -> Generator[bytes]:
    """Returns the image's signed manifest in pieces: the DSSE envelope, with the index in the member `index`. Raises
    ManifestKeyUnusable, ManifestCorrupt, ImageElsewhere, IndexMissing or IndexInvalid."""
    path = settings().manifest_key_path
    try:
        envelope = sign(manifest_of(image), _key(path))
    except ValueError as error:
        raise _not_a_key(path, error) from error
    require_here(image)
    with open_index(image.index_name, image.index_digest):  # a refusal precedes the first piece
        pass
    return _pieces(json.dumps(envelope), image.index_name, image.index_digest)


def _pieces(envelope: str, index_name: str, index_digest: str) -> Generator[bytes]:
    """Yields the envelope with the index. The payload names the index's digest, so its signature covers the index."""
    with open_index(index_name, index_digest) as index:
        yield f'{envelope.removesuffix("}")}, "index": "'.encode()
        rest = b""
        for piece in index.content():
            piece = rest + piece
            whole = len(piece) - len(piece) % 3  # base64 without padding in the middle
            yield base64.b64encode(piece[:whole])
            rest = piece[whole:]
        yield base64.b64encode(rest) + b'"}\n'


def _key(path: Path) -> bytes:
    """Returns the private key; makes it where the server's account may."""
    try:
        if not path.exists():
            _make(path)
        return path.read_bytes()
    except OSError as error:
        raise ManifestKeyUnusable(
            f"The server's key {path} can neither be read nor made: {error.strerror}. It has to be a file that the "
            "account of the API alone can read. `make run` makes it."
        ) from error


def _make(path: Path) -> None:
    """Writes a new key. Of processes that do so at the same time, the first one's stays."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as file:
        file.write(new_private_key())
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(part, path)
    except FileExistsError:
        pass
    finally:
        part.unlink()


def _not_a_key(path: Path, error: ValueError) -> PatinaError:
    return ManifestKeyUnusable(
        f"{path} is no Ed25519 key in PEM ({error}). Restore it from a backup; or remove it, and the server makes "
        "another one, by which earlier manifests cannot be verified."
    )
