"""The Celery application of the worker: its settings, its queue, and the start of its processes."""

import ctypes
import gc
import os
import signal

import structlog
from celery import Celery
from celery.signals import setup_logging, worker_init, worker_process_init, worker_ready
from celery.worker import state
from kombu.entity import Exchange, Queue

from patina.db import engine
from patina.queue import broker, host_queue, own_keys
from patina.settings import settings
from patina_worker import heartbeat, stopping
from patina_worker.host import single_worker
from patina_worker.log import configure_logging

PR_SET_PDEATHSIG = 1
EX_OK = 0

log = structlog.get_logger()


def _declared(name: str) -> Queue:
    return Queue(name, Exchange(name, type="direct"), routing_key=name)


def _build() -> Celery:
    """Returns the backend's application with a receiver's settings. Messages are only hints: early ack, no prefetch."""
    celery = broker()
    celery.conf.update(
        broker_transport="patina_worker.transport:Transport",
        # One key for a queue, and others that no other host uses: a host may access its own keys alone.
        broker_transport_options=celery.conf.broker_transport_options
        | own_keys(settings().host_name)
        | {"priority_steps": [0]},
        imports=["patina_worker.tasks"],
        task_queues=[_declared(host_queue(settings().host_name))],
        task_create_missing_queues=False,
        task_acks_late=False,
        task_reject_on_worker_lost=False,
        worker_concurrency=settings().tasks_at_once,
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
        worker_max_tasks_per_child=1,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_hijack_root_logger=False,
        worker_enable_remote_control=False,
    )
    return celery


app = _build()
stopping.share()  # before the pool forks


@setup_logging.connect
def _log(**_: object) -> None:
    configure_logging()


@worker_init.connect
def _begin(**_: object) -> None:
    """Prepares the worker or ends it: Celery ignores exceptions here, and a dead worker's jobs would stay open."""
    gc.freeze()  # modules stay loaded: collections in children must not copy their pages
    gc.enable()
    try:
        single_worker.become_the_only_worker()
        heartbeat.prepare()
    except heartbeat.MISPLACED as error:
        single_worker.refuse(error.message)
    except Exception as error:
        log.exception("cannot begin")
        single_worker.refuse(f"It cannot begin: {error}")


@worker_ready.connect
def _beat(**_: object) -> None:
    heartbeat.start()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _hand_back)


def _hand_back(*_: object) -> None:
    """Handles SIGTERM: runs release their devices within seconds, then the worker exits.

    Celery's soft shutdown does not fit: it sleeps its whole timeout before it notifies tasks, and a run outlasts any.
    """
    stopping.announce()
    state.should_stop = EX_OK  # type: ignore[assignment]  # annotated by its first value, None


@worker_process_init.connect
def _in_child(**_: object) -> None:
    """Prepares a child process: it dies with the worker and shares no connection with it."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if single_worker.is_orphan():  # the worker died before prctl, which sends no signal then: do not keep its lock
        os.kill(os.getpid(), signal.SIGKILL)
    engine().dispose(close=False)
