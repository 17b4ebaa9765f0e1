"""How far the digests are that any process of the API computes: said over Redis, for a page asks now one process, now
another. Losing it loses the bar of progress alone."""

import redis
import structlog

from patina.redis_client import redis_client

KEPT_S = 5

log = structlog.get_logger()


def say(key: str, fraction: float) -> None:
    """This process computes it, and is so far. To be said again within `KEPT_S`."""
    try:
        redis_client().set(_name(key), fraction, ex=KEPT_S)
    except redis.RedisError as error:
        log.warning("progress of a digest not said", key=key, error=str(error))


def withdraw(key: str) -> None:
    """Nobody computes it any more."""
    try:
        redis_client().delete(_name(key))
    except redis.RedisError as error:
        log.warning("progress of a digest not withdrawn", key=key, error=str(error))


def fraction_of(key: str) -> float | None:
    """How far the process is that computes it; None where none does."""
    try:
        said = redis_client().get(_name(key))
    except redis.RedisError:
        return None
    return None if said is None else float(said)


def _name(key: str) -> str:
    return f"patina:digest:{key}"
