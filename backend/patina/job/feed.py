"""The live feed: every stored event, published over Redis. Its loss loses no stored event.

The worker encodes an event as JSON. The feed's readers use the few fields beside the text, and never parse it.
"""

from dataclasses import dataclass
from functools import lru_cache

import redis
import structlog
from redis.typing import EncodableT, FieldT

from patina.job.state import ENDED
from patina.queue import EVENT_STREAM
from patina.settings import settings

MAX_LENGTH = 10_000
JOBS_LIMIT = 6  # in one stream
_ENDED = frozenset(str(state) for state in ENDED)

log = structlog.get_logger()


@dataclass(frozen=True)
class StoredEvent:
    """One event of a job: `text` is the whole event as JSON, a JobEvent."""

    job_id: int
    sequence: int
    follows: int
    state: str  # the job's new state; empty: no move
    text: str

    @property
    def is_last(self) -> bool:
        """Returns whether the event ends the job."""
        return self.state in _ENDED


@lru_cache(maxsize=1)
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings().redis_url, socket_timeout=2, socket_connect_timeout=2)


def publish(event: StoredEvent) -> None:
    """Publishes a committed event. Followers that miss it read it from the database within seconds."""
    fields: dict[FieldT, EncodableT] = {
        "job_id": event.job_id,
        "sequence": event.sequence,
        "follows": event.follows,
        "state": event.state,
        "text": event.text,
    }
    try:
        _client().xadd(EVENT_STREAM, fields, maxlen=MAX_LENGTH, approximate=True)
    except redis.RedisError as error:
        log.warning("job event not published", job_id=event.job_id, sequence=event.sequence, error=str(error))


def offered(fields: dict[bytes, bytes]) -> StoredEvent:
    """Returns the event that `publish` put into the stream."""
    return StoredEvent(
        job_id=int(fields[b"job_id"]),
        sequence=int(fields[b"sequence"]),
        follows=int(fields[b"follows"]),
        state=fields[b"state"].decode(),
        text=fields[b"text"].decode(),
    )
