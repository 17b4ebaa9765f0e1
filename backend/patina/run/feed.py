"""The live feed: every stored event, offered over Redis to whoever follows. Losing it loses nothing stored."""

import redis
import structlog

from patina.redis_client import redis_client
from patina.run.event import RunEvent

STREAM = "patina:run_event"
MAX_LENGTH = 10_000

log = structlog.get_logger()


def publish(event: RunEvent) -> None:
    """Offer a committed event. Followers that miss it read it from the database within seconds."""
    try:
        redis_client().xadd(STREAM, {"event": event.model_dump_json()}, maxlen=MAX_LENGTH, approximate=True)
    except redis.RedisError as error:
        log.warning("run event not published", run_id=event.run_id, sequence=event.sequence, error=str(error))
