"""The broker's transport, kombu's, for a queue into which every host can put any message.

A message only names a task and a row. These two are read and put into a new message; the rest is dropped, because the
consumer fails on some of it. A malformed message is dropped as a whole: the worker finds its row without it
(patina.queue). The `no-untyped-call` marks below are for kombu, which has no types.
"""

import base64
import json
import uuid
from queue import Empty
from typing import Any, get_args

import structlog
from kombu.transport import redis
from redis import ResponseError

from patina.queue import TaskName

log = structlog.get_logger()
_TASKS = frozenset(f"patina.{name}" for name in get_args(TaskName))


def _message_like(message: Any, queue: str) -> dict[str, Any]:
    """Returns a new message for the same task and row. Raises any exception where the message names none."""
    task = message["headers"]["task"]
    [[row_id], *_] = json.loads(base64.b64decode(message["body"]))
    if task not in _TASKS or type(row_id) is not int:
        raise ValueError(f"no task of ours: {task!r}, {row_id!r}")
    own_id = str(uuid.uuid4())
    headers = {
        "lang": "py",
        "task": task,
        "id": own_id,
        "root_id": own_id,
        "parent_id": None,
        "group": None,
        "retries": 0,
        "timelimit": [None, None],
        "eta": None,
        "expires": None,
        "ignore_result": True,
        "argsrepr": f"({row_id},)",
        "kwargsrepr": "{}",
        "origin": "",
    }
    embedded = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
    body = base64.b64encode(json.dumps([[row_id], {}, embedded]).encode()).decode()
    properties = {
        "correlation_id": own_id,
        "reply_to": "",
        "delivery_mode": 2,
        "priority": 0,
        "body_encoding": "base64",
        "delivery_tag": str(uuid.uuid4()),
        "delivery_info": {"exchange": queue, "routing_key": queue},
    }
    return {
        "body": body,
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": headers,
        "properties": properties,
    }


class _QoS(redis.QoS):
    def restore_visible(self, *_: Any, **__: Any) -> None:
        """Does nothing: a lost message is sent again from its row. To restore it takes scripts, which Redis denies."""


class _Channel(redis.Channel):
    QoS = _QoS

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except (Empty, *self.connection_errors):
            raise
        except ResponseError as error:
            if not str(error).startswith("WRONGTYPE"):
                raise
            self._drop_what_is_no_list()
            raise Empty from error
        except Exception as error:  # any kind: 200 000 brackets of JSON raise RecursionError
            log.warning("malformed message dropped", error=repr(error)[:200])
            raise Empty from error

    def _drop_what_is_no_list(self) -> None:
        with self.conn_or_acquire() as client:
            for queue in self.active_queues:
                for step in self.priority_steps:
                    key = self._q_for_pri(queue, step)  # type: ignore[no-untyped-call]
                    # This command alone does not get the prefix from kombu.
                    if client.type(f"{self.global_keyprefix}{key}") not in (b"list", b"none", "list", "none"):
                        client.delete(key)
                        log.warning("a key in the place of a queue dropped", key=key)


class Transport(redis.Transport):
    Channel = _Channel

    def _deliver(self, message: Any, queue: str) -> None:
        try:
            own = _message_like(message, queue)
        except Exception as error:  # noqa: BLE001  a message can fail in any way
            log.warning("malformed message dropped", error=repr(error)[:200])
        else:
            super()._deliver(own, queue)  # type: ignore[no-untyped-call]
