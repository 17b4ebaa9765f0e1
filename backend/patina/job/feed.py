"""The live feed: every stored event, published over Redis. Losing it loses nothing stored.

An event is JSON from the worker on. What passes it on reads the few fields beside it, and never the text.
"""

from dataclasses import dataclass
from functools import lru_cache

import redis
import structlog

from patina.job.state import ENDED
from patina.settings import settings

STREAM = "patina:job_event"
MAX_LENGTH = 10_000
JOBS_LIMIT = 6  # in one stream
_ENDED = frozenset(str(state) for state in ENDED)

log = structlog.get_logger()


@dataclass(frozen=True)
class StoredEvent:
    """One event of a job: `text` is the whole of it as JSON, a JobEvent."""

    job_id: int
    sequence: int
    follows: int
    state: str  # that the job has moved to; empty: it has not
    text: str

    @property
    def is_last(self) -> bool:
        """Whether the job has ended with it."""
        return self.state in _ENDED


@lru_cache(maxsize=1)
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings().redis_url, socket_timeout=2, socket_connect_timeout=2)


def publish(event: StoredEvent) -> None:
    """Offer a committed event. Followers that miss it read it from the database within seconds."""
    fields: dict[str | bytes, str | bytes | int | float] = {
        "job_id": event.job_id,
        "sequence": event.sequence,
        "follows": event.follows,
        "state": event.state,
        "text": event.text,
    }
    try:
        _client().xadd(STREAM, fields, maxlen=MAX_LENGTH, approximate=True)  # type: ignore[arg-type]
    except redis.RedisError as error:
        log.warning("job event not published", job_id=event.job_id, sequence=event.sequence, error=str(error))


def offered(fields: dict[bytes, bytes]) -> StoredEvent:
    """What `publish` has put into the stream."""
    return StoredEvent(
        job_id=int(fields[b"job_id"]),
        sequence=int(fields[b"sequence"]),
        follows=int(fields[b"follows"]),
        state=fields[b"state"].decode(),
        text=fields[b"text"].decode(),
    )
