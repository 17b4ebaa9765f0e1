"""The broker's transport, kombu's: and what is no message ends neither the consumer nor the worker."""

from queue import Empty
from typing import Any

import structlog
from kombu.transport import redis

log = structlog.get_logger()
_MALFORMED = (ValueError, TypeError, KeyError, AttributeError)


class _Channel(redis.Channel):
    """Drops what cannot be read: the row that a message points at is found without it (patina.queue)."""

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except _MALFORMED as error:
            log.warning("malformed message dropped", error=repr(error))
            raise Empty from error

    def _get(self, *arguments: Any) -> Any:
        try:
            return super()._get(*arguments)  # type: ignore[no-untyped-call]
        except _MALFORMED as error:
            log.warning("malformed message dropped", error=repr(error))
            raise Empty from error


class Transport(redis.Transport):
    Channel = _Channel
