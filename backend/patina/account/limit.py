"""Limits of tries: wrong passwords, unknown tokens, unknown links. Kept in the process, which is the only one that
answers."""

import time

from limits import RateLimitItemPerMinute, RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from patina.errors import PatinaError

# Wrong passwords of one name from one address, and of all names from one address.
OF_A_NAME = RateLimitItemPerMinute(10, 5, namespace="name")
OF_AN_ADDRESS = RateLimitItemPerMinute(60, 5, namespace="address")
# Unknown tokens, sessions and links of one address. They cannot be guessed: this only bounds the work.
OF_SECRETS = RateLimitItemPerSecond(300, 60, namespace="secret")

TooManyTries = PatinaError.of("too_many_tries", "Too many tries", status=429)

_limiter = MovingWindowRateLimiter(MemoryStorage())

Limited = RateLimitItemPerMinute | RateLimitItemPerSecond


def require_left(limit: Limited, *who: str) -> None:
    """Raises TooManyTries while no try is left."""
    if not _limiter.test(limit, *who):
        wait_s = max(1, round(_limiter.get_window_stats(limit, *who).reset_time - time.time()))
        raise TooManyTries(
            f"Too many wrong tries from this address. Try again in {wait_s} s.", headers={"Retry-After": str(wait_s)}
        )


def count_unknown(address: str) -> None:
    """Counts an unknown token, session or link. Raises TooManyTries if no try is left. Others from the same address,
    which may be that of a proxy, go on."""
    require_left(OF_SECRETS, address)
    count(OF_SECRETS, address)


def count(limit: Limited, *who: str) -> None:
    """Counts a wrong try."""
    _limiter.hit(limit, *who)


def forget() -> None:
    """Forgets all tries, as a restart does."""
    _limiter.storage.reset()
