"""The spool of this host: locks files in use, cancels expired intakes, removes unclaimed files."""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.core.failure import StepFailed
from patina.db import transaction
from patina.image_import.models import Intake
from patina.job import journal
from patina.job.state import ENDED, JobState
from patina.settings import settings
from patina_worker.failure import SpoolFileRefused
from patina_worker.host.private_folder import opened

_WAITING = (JobState.UPLOADING, JobState.INTERRUPTED)

log = structlog.get_logger()


@contextmanager
def held(path: Path) -> Iterator[int | None]:
    """Opens and locks the spool file; None while another process holds it. FileNotFoundError when it is gone,
    SpoolFileRefused when it is not a file that an upload makes.

    Programs that inherit the descriptor keep the lock while they live: a free lock proves that no process of an
    earlier attempt works on the file.
    """
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor
    except BlockingIOError:
        yield None
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    """Opens a regular file only: the API's account owns the folder and could put a link or a FIFO there."""
    try:
        with opened(path.parent) as folder:
            owner = os.fstat(folder).st_uid
            descriptor = os.open(path.name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):  # a link, no folder, a socket
            raise _refused(path) from error
        raise
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_uid != owner:
        os.close(descriptor)
        raise _refused(path)
    return descriptor


def _refused(path: Path) -> StepFailed:
    return SpoolFileRefused(
        f"{path} is not a regular file with one name that belongs to the owner of the spool. It was not read. Who "
        "else writes to the spool? Import the file anew."
    )


def tidy(*, host_id: int) -> None:
    """Cancels expired intakes and removes unclaimed files."""
    with transaction() as session:
        _cancel_forgotten(session, host_id)
    _remove_strays()


def _cancel_forgotten(session: Session, host_id: int) -> None:
    since = datetime.now(UTC) - timedelta(seconds=settings().intake_expiry_s)
    forgotten = select(Intake).where(Intake.host_id == host_id, Intake.state.in_(_WAITING), Intake.touched_at < since)
    for intake in session.scalars(forgotten):
        journal.try_move(
            session=session,
            job=intake,
            from_state=intake.state,
            to_state=JobState.CANCELED,
            message=f"No data received for {settings().intake_expiry_s} s; the partial file was removed.",
        )


def _remove_strays() -> None:
    """Removes files of no open intake. A row exists before its file does."""
    try:
        with opened(settings().spool_dir) as folder:
            names = sorted(os.listdir(folder))
            with transaction() as session:
                kept = set(session.scalars(select(Intake.spool_name).where(Intake.state.not_in(ENDED))))
            for name in names:
                if name not in kept:
                    _remove(name, folder)
    except FileNotFoundError:
        pass  # nothing was uploaded yet
    except NotADirectoryError:
        log.warning("the spool is no folder, or a link that another account made", spool=str(settings().spool_dir))


def _remove(name: str, folder: int) -> None:
    with suppress(FileNotFoundError, IsADirectoryError):
        os.unlink(name, dir_fd=folder)
        log.info("removed a file of no open intake from the spool", file=name)
