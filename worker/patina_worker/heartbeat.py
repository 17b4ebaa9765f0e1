"""The worker's heartbeat: every few seconds it reports the host, checks its devices, and ends dead work.

It runs in a thread of Celery's parent process. The pool forks no process in the middle of a beat, so no child
inherits a lock that a beat holds. Another thread, which holds no lock, reads the disks.
"""

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import structlog
from kombu.exceptions import OperationalError as BrokerError
from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError

import patina_worker.handlers.registry  # noqa: F401  # recovery cleans up by kind
from patina import revision
from patina.db import transaction
from patina.device import service as device_service
from patina.errors import PatinaError
from patina.host import service as host_service
from patina.host.models import Host
from patina.host.schemas import HostReport
from patina.host.service import HostAccessEnded, HostNameTaken
from patina.job import service as job_service
from patina.job import waiting
from patina.run import resuming
from patina.settings import settings
from patina_worker import gc_clock, stopping
from patina_worker.host import (
    checkpoint,
    commands,
    disk_report,
    inventory,
    memory_device,
    scan_folders,
    spool,
    supported,
    traffic,
)
from patina_worker.host.disk_watch import Watch
from patina_worker.host.single_worker import worker_key
from patina_worker.jobs import recovery
from patina_worker.jobs.recovery import Work
from patina_worker.jobs.reminder import Reminder
from patina_worker.tools import versions

PERIOD_S = 5.0
LEAST_PAUSE_S = 0.5
# Errors that a retry cannot fix: another worker took the name, the host was removed, the database has another version.
MISPLACED = (HostNameTaken, HostAccessEnded, revision.DatabaseOlder, revision.DatabaseNewer)
# Errors that a retry may fix.
PASSING = (SQLAlchemyError, RedisError, BrokerError, PatinaError, OSError, ValueError)

log = structlog.get_logger()
_fork_gate = threading.RLock()
_watch = Watch()
_meter = traffic.Meter()
_dead: set[Work] = set()  # left by the previous worker, and not yet ended


def start() -> None:
    """Starts the heartbeat; its thread ends with the process."""
    os.register_at_fork(
        before=_fork_gate.acquire, after_in_parent=_fork_gate.release, after_in_child=_fork_gate.release
    )
    _watch.start()
    threading.Thread(target=_beat_for_ever, name="heartbeat", daemon=True).start()


def prepare() -> None:
    """Prepares for the first task. Active work of this state folder is dead, because this worker has its lock; work
    that another state folder started under this name may live, so its leases must expire first.

    Waits for the database and Redis, which all work needs. Raises the errors in MISPLACED.
    """
    while (host := _take_over()) is None:
        time.sleep(LEAST_PAUSE_S)
    try:
        inventory.refresh(host, _watch.look())
    except PASSING as error:
        log.warning("disks not read; the first beat reads them", error=str(error))


def _take_over() -> Host | None:
    try:
        with host_service.access_required(), transaction() as session:
            was_ours = host_service.is_reported_with(session=session, name=settings().host_name, key=worker_key())
        host = report()
        if was_ours:
            _dead.update(recovery.active_work(host_id=host.id))
        inventory.attach_sandboxes(host)
    except MISPLACED:
        raise
    except PASSING as error:
        log.warning("not ready to begin; trying again", error=str(error))
        return None
    return host


def _beat_for_ever() -> None:
    reminder = Reminder()
    pause = threading.Event()
    while True:
        began = time.monotonic()
        try:
            with _fork_gate:
                beat(reminder=reminder)
        except MISPLACED as error:
            log.error("this worker must not continue; releasing its devices", error=error.message)  # noqa: TRY400
            os.kill(os.getpid(), signal.SIGTERM)
            return
        except PASSING as error:
            log.warning("heartbeat failed; trying again", error=str(error))
        except Exception:
            log.exception("heartbeat failed; trying again")  # an ended thread would leave the host silent
        pause.wait(max(PERIOD_S - (time.monotonic() - began), LEAST_PAUSE_S))


def beat(*, reminder: Reminder) -> None:
    """Runs one round."""
    host = report()
    _dead.difference_update(recovery.interrupt_dead_work(host_id=host.id, known_dead=_dead))
    _each(host, lambda host: inventory.refresh(host, _watch.latest()), disk_report.report)
    _each(host, lambda host: traffic.report(host, _meter))
    if stopping.is_announced():
        return  # the next worker begins the jobs that this one has just handed back
    _each(host, _resume, _remove_expired, _start_waiting, lambda host: spool.tidy(host_id=host.id))
    _each(host, lambda _: checkpoint.tidy(), lambda _: memory_device.tidy())
    with transaction() as session:
        reminder.send(session=session, host=host)
    with transaction() as session:
        gc_clock.schedule(session=session, host=host)


def _each(host: Host, *steps: Callable[[Host], None]) -> None:
    """Runs the steps in turn. A step that fails on a malformed row does not stop the others."""
    for step in steps:
        try:
            step(host)
        except (SQLAlchemyError, RedisError, BrokerError):
            raise
        except Exception:
            log.exception("a step of the heartbeat failed; the others go on")


def _resume(host: Host) -> None:
    with transaction() as session:
        for run_id in resuming.resume_all_interrupted(
            session=session, host_id=host.id, has_checkpoint=lambda run_id: checkpoint.file_of(run_id).exists()
        ):
            log.info("goes on after an interruption", run_id=run_id)
        for job_id in job_service.resume_interrupted(session=session, host_id=host.id):
            log.info("goes on after an interruption", job_id=job_id)


def _remove_expired(host: Host) -> None:
    with transaction() as session:
        device_service.remove_expired_sandboxes(session=session, host_id=host.id)


def _start_waiting(host: Host) -> None:
    with transaction() as session:
        waiting.start_waiting(session=session, host_id=host.id)


def _nearest(folder: Path) -> Path:
    """Returns the folder, or the nearest one above it that exists."""
    return next(found for found in (folder, *folder.parents) if found.exists())


def report() -> Host:
    """Reports the host. Raises one of MISPLACED when this worker may not report."""
    disk = shutil.disk_usage(_nearest(settings().state_dir))
    with host_service.access_required(), transaction() as session:
        revision.require(session=session)
        return host_service.heartbeat(
            session=session,
            name=settings().host_name,
            report=HostReport(
                kernel=os.uname().release,
                lacks=supported.lacking(),
                cores_count=os.cpu_count() or 1,
                memory_free_bytes=memory_device.free_bytes(),
                memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
                disk_bytes=disk.total,
                disk_free_bytes=disk.free,
                tools=versions.versions(),
                device_allow=settings().device_allow_globs,
                scan_folders=scan_folders.folders(),
                commands=commands.commands(),
                sandbox_quota_bytes=settings().sandbox_quota_bytes,
            ),
            worker_key=worker_key(),
        )
