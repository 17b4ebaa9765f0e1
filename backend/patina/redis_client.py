"""Redis for what may be lost: nothing is kept there alone."""

from functools import lru_cache

import redis

from patina.settings import settings

TIMEOUT_S = 2


@lru_cache(maxsize=1)
def redis_client() -> redis.Redis:
    """This process's connections."""
    return redis.Redis.from_url(settings().redis_url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)
