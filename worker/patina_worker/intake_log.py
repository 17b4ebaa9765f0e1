"""Writes how far an intake is into its row, and hears that it is to stop."""

import time
from collections.abc import Callable
from typing import TypeVar

import structlog
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from patina.db import transaction
from patina.intake.models import Intake, IntakeState
from patina_worker import stopping
from patina_worker.claim import RETRY_PAUSE_S
from patina_worker.failure import RunCanceled, WorkerStopping
from patina_worker.run_log import PROGRESS_PERIOD_S, WISHES_POLL_S

Answer = TypeVar("Answer")

log = structlog.get_logger()


class IntakeLog:
    """The one hand that writes to a running intake: its process holds the lock of the spool file."""

    def __init__(self, *, intake_id: int) -> None:
        self.intake_id = intake_id
        self.is_stop_requested = False
        self._asked_at = 0.0
        self._progress_at = 0.0

    def write(self, action: Callable[[Session], Answer]) -> Answer:
        """`action` in one transaction; tried again while the database is away."""
        while True:
            try:
                with transaction() as session:
                    return action(session)
            except OperationalError as error:
                log.warning("database away; trying again", intake_id=self.intake_id, error=str(error.orig))
                time.sleep(RETRY_PAUSE_S)

    def must_stop(self) -> bool:
        """Whether the user or the worker's end asks for it."""
        now = time.monotonic()
        if not self.is_stop_requested and now - self._asked_at >= WISHES_POLL_S:
            self._asked_at = now
            self.is_stop_requested = self.write(self._read_request)
        return self.is_stop_requested or stopping.is_announced()

    def go_on(self) -> None:
        """RunCanceled or WorkerStopping when there must be no next step."""
        if self.must_stop():
            raise RunCanceled if self.is_stop_requested else WorkerStopping

    def _read_request(self, session: Session) -> bool:
        return session.scalar(select(Intake.stop_requested_at).where(Intake.id == self.intake_id)) is not None

    def enter(self, message: str) -> None:
        """The next step begins."""
        self.go_on()
        self._progress_at = 0.0
        self._update(message=message, done_bytes=0, total_bytes=0)

    def progress(self, done_bytes: int, total_bytes: int) -> None:
        """How far the step is, thinned."""
        now = time.monotonic()
        if done_bytes == total_bytes or now - self._progress_at >= PROGRESS_PERIOD_S:
            self._progress_at = now
            self._update(done_bytes=done_bytes, total_bytes=total_bytes)

    def _update(self, **values: object) -> None:
        # A request to stop has a message of its own, which stays.
        self.write(
            lambda session: session.execute(
                update(Intake)
                .where(Intake.id == self.intake_id, Intake.state == IntakeState.RUNNING)
                .values(**values)
                .execution_options(synchronize_session=False)
            )
        )
