"""Passwords: argon2id (RFC 9106)."""

from functools import lru_cache

from anyio import CapacityLimiter, to_thread
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from patina.errors import PatinaError

SHORTEST_CHARS = 12
LONGEST_CHARS = 200
AT_ONCE_COUNT = 2  # each takes 64 MiB

PasswordTooShort = PatinaError.of("password_too_short", "The password is too short", status=422)

_hasher = PasswordHasher()


def require_good(password: str) -> None:
    """Raises PasswordTooShort. Length is the only rule (NIST SP 800-63B, 5.1.1.2)."""
    if len(password) < SHORTEST_CHARS:
        raise PasswordTooShort(f"The password has {len(password)} characters, and needs {SHORTEST_CHARS}.")


def hashed(password: str) -> str:
    """Returns the hash to store, with its parameters and salt."""
    return _hasher.hash(password.encode(errors="surrogatepass"))


@lru_cache(maxsize=1)
def _hash_of_none() -> str:
    return hashed("the password of no account")


def is_right(password: str, stored: str | None) -> bool:
    """Returns whether it is the password of the stored hash. Takes as long if there is no hash."""
    try:
        _hasher.verify(stored or _hash_of_none(), password.encode(errors="surrogatepass"))
    except (VerifyMismatchError, InvalidHashError):
        return False
    return stored is not None


class PasswordThreads:
    """Hashes in a few threads: the event loop goes on, and many sign-ins at once take no more memory."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(AT_ONCE_COUNT)

    async def hashed(self, password: str) -> str:
        """As `hashed`. Raises PasswordTooShort."""
        require_good(password)
        return await to_thread.run_sync(hashed, password, limiter=self._limiter)

    async def is_right(self, password: str, stored: str | None) -> bool:
        """As `is_right`."""
        return await to_thread.run_sync(is_right, password, stored, limiter=self._limiter)
