"""The spool of this host: whose file is worked on, which intakes are forgotten, which files are nobody's."""

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
    """The spool file, open and locked; None while somebody else has it. FileNotFoundError when it is gone,
    SpoolFileRefused when it is not what an upload makes.

    Programs that get the descriptor keep the lock while they live: one that can be had proves that nobody of an
    earlier try works on the file any more.
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
    """The API's account owns the folder and may put anything there: a link to a file of root's, a FIFO."""
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
    """One round: end what is forgotten, remove what is nobody's."""
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
            message=f"Nothing was heard of it for {settings().intake_expiry_s} s; what had come was removed.",
        )


def _remove_strays() -> None:
    """Whatever is there of no open intake. A row is there before its file is."""
    try:
        with opened(settings().spool_dir) as folder:
            names = sorted(os.listdir(folder))
            with transaction() as session:
                kept = set(session.scalars(select(Intake.spool_name).where(Intake.state.not_in(ENDED))))
            for name in names:
                if name not in kept:
                    _remove(name, folder)
    except FileNotFoundError:
        pass  # nothing has come in yet
    except NotADirectoryError:
        log.warning("the spool is no folder, or a link that another account made", spool=str(settings().spool_dir))


def _remove(name: str, folder: int) -> None:
    with suppress(FileNotFoundError, IsADirectoryError):
        os.unlink(name, dir_fd=folder)
        log.info("removed a file of no open intake from the spool", file=name)
