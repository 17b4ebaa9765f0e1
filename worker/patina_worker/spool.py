"""The spool of this host: whose file is worked on, which intakes are dead or forgotten, which files are nobody's."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.db import transaction
from patina.intake.models import Intake, IntakeState
from patina.intake.state import ENDED, try_move
from patina.settings import settings
from patina_worker.take_in import scratch_of

_WORKED_ON = (IntakeState.RUNNING, IntakeState.CANCELING)
_WAITING = (IntakeState.UPLOADING, IntakeState.INTERRUPTED)

log = structlog.get_logger()


@contextmanager
def held(path: Path) -> Iterator[int | None]:
    """The spool file, open and locked; None while somebody else has it. FileNotFoundError when it is gone.

    Programs that get the descriptor keep the lock while they live: one that can be had proves that nobody of an
    earlier try works on the file any more.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor
    except BlockingIOError:
        yield None
    finally:
        os.close(descriptor)


def tidy(*, host_id: int) -> None:
    """One round: end what is dead or forgotten, remove what is nobody's."""
    with transaction() as session:
        _interrupt_dead(session, host_id)
        _cancel_forgotten(session, host_id)
    _remove_strays()


def _interrupt_dead(session: Session, host_id: int) -> None:
    for intake in session.scalars(select(Intake).where(Intake.host_id == host_id, Intake.state.in_(_WORKED_ON))):
        if _is_worked_on(intake.spool_path):
            continue
        is_unwanted = intake.state == IntakeState.CANCELING
        died = "The worker died while it took the file in"
        try_move(
            session=session,
            intake=intake,
            from_state=intake.state,
            to_state=IntakeState.CANCELED if is_unwanted else IntakeState.INTERRUPTED,
            message=f"{died}. No image was made."
            if is_unwanted
            else f"{died}. It is kept: take it in again, or cancel.",
        )
        log.info("a dead intake was ended", intake_id=intake.id)


def _is_worked_on(path: Path) -> bool:
    try:
        with held(path) as descriptor:
            return descriptor is None
    except FileNotFoundError:
        return False


def _cancel_forgotten(session: Session, host_id: int) -> None:
    since = datetime.now(UTC) - timedelta(seconds=settings().intake_expiry_s)
    forgotten = select(Intake).where(Intake.host_id == host_id, Intake.state.in_(_WAITING), Intake.touched_at < since)
    for intake in session.scalars(forgotten):
        try_move(
            session=session,
            intake=intake,
            from_state=intake.state,
            to_state=IntakeState.CANCELED,
            message=f"Nothing was heard of it for {settings().intake_expiry_s} s; what had come was removed.",
        )


def _remove_strays() -> None:
    """Files of no open intake, and what a dead process unpacked. A row is there before its file is."""
    folder = settings().spool_dir
    if not folder.is_dir():
        return
    entries = sorted(folder.iterdir())
    with transaction() as session:
        rows = session.execute(select(Intake.spool_name, Intake.state).where(Intake.state.not_in(ENDED))).all()
    kept = {folder / name for name, _ in rows}
    kept |= {scratch_of(folder / name) for name, state in rows if state in _WORKED_ON}
    for file in entries:
        if file not in kept and file.is_file():
            file.unlink(missing_ok=True)
            log.info("removed a file that came in from the spool", file=file.name)
