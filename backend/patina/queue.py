"""Sends tasks by name, after commit. The backend never imports the worker.

A message contains only a row's id: the worker reads the row and claims it, or ignores the message. A message that
could not be sent is no error of the request: the row stays, and the worker polls the rows of its host.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import structlog
from sqlalchemy.orm import Session

from patina.db import after_commit
from patina.settings import settings

if TYPE_CHECKING:
    from celery import Celery

log = structlog.get_logger()

TaskName = Literal["work", "make_sandbox", "remove_sandbox", "inject_fault"]


KEY_PREFIX = "patina:"
EVENT_STREAM = f"{KEY_PREFIX}job_event"  # of the live feed


def host_queue(host_name: str) -> str:
    """Returns the queue that only this host's worker reads."""
    return f"host.{host_name}"


def own_keys(host_name: str) -> dict[str, str]:
    """Returns the keys in which a host's worker keeps its messages, by kombu's options, without their prefix. None
    begins with the queue: a host's name may contain a dot."""
    queue = host_queue(host_name)
    return {f"{kind}_key": f"{kind}.{queue}" for kind in ("unacked", "unacked_index", "unacked_mutex")}


@lru_cache(maxsize=1)
def broker() -> "Celery":
    """Returns a Celery application that only sends."""
    from celery import Celery  # imported with the first message: it takes a tenth of a server's start

    app = Celery("patina", broker=settings().redis_url)
    app.conf.update(
        task_ignore_result=True,
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": 86400,
            "socket_timeout": 30,
            "health_check_interval": 25,
            "global_keyprefix": KEY_PREFIX,
        },
    )
    return app


def enqueue(session: Session, task: TaskName, row_id: int, *, host_name: str) -> None:
    """Sends a message for row `row_id` to the worker of `host_name` after `session` commits."""

    def _send() -> None:
        from kombu.exceptions import OperationalError

        try:
            broker().send_task(f"patina.{task}", args=[row_id], queue=host_queue(host_name), ignore_result=True)
        except OperationalError as error:
            log.warning("message not sent; the worker finds the row", task=task, row_id=row_id, error=str(error))

    after_commit(session, _send)
