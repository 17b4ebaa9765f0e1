"""The live feed: every stored event, offered over Redis to whoever follows. Losing it loses nothing stored."""

from functools import lru_cache

import redis
import structlog

from patina.run.event import RunEvent
from patina.settings import settings

STREAM = "patina:run_event"
MAX_LENGTH = 10_000

log = structlog.get_logger()


@lru_cache(maxsize=1)
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings().redis_url, socket_timeout=2, socket_connect_timeout=2)


def publish(event: RunEvent) -> None:
    """Offer a committed event. Followers that miss it read it from the database within seconds."""
    try:
        _client().xadd(STREAM, {"event": event.model_dump_json()}, maxlen=MAX_LENGTH, approximate=True)
    except redis.RedisError as error:
        log.warning("run event not published", run_id=event.run_id, sequence=event.sequence, error=str(error))
