"""Writes how far an action is into its row, each in one transaction of the lease's holder."""

import time
from datetime import UTC, datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from patina.action.models import Action
from patina_worker import stopping
from patina_worker.claim import Claim
from patina_worker.run_log import PROGRESS_PERIOD_S, WISHES_POLL_S


class ActionLog:
    """The one hand that writes to a running action, and the one ear for being told to stop."""

    def __init__(self, *, action_id: int, claim: Claim) -> None:
        self.action_id = action_id
        self.claim = claim
        self.is_stop_requested = False
        self.is_armed = False
        self.has_written = False
        self._asked_at = 0.0
        self._progress_at = 0.0

    def must_stop(self) -> bool:
        """Whether the user or the worker's end asks for it. LeaseLost when the device is no longer ours."""
        self.claim.check()
        now = time.monotonic()
        if not self.is_stop_requested and now - self._asked_at >= WISHES_POLL_S:
            self._asked_at = now
            self.is_stop_requested = self.claim.write(self._read_request)
        return self.is_stop_requested or stopping.is_announced()

    def must_go(self) -> bool:
        """Of a step that has to be done to its end: LeaseLost alone stops it."""
        self.claim.check()
        return False

    def _read_request(self, session: Session) -> bool:
        return session.scalar(select(Action.stop_requested_at).where(Action.id == self.action_id)) is not None

    def progress(self, done_bytes: int, total_bytes: int) -> None:
        """How far it is, thinned."""
        now = time.monotonic()
        if done_bytes == total_bytes or now - self._progress_at >= PROGRESS_PERIOD_S:
            self._progress_at = now
            self.update(done_bytes=done_bytes, total_bytes=total_bytes)

    def armed(self, message: str) -> None:
        """A trace misses nothing from here on."""
        self.is_armed = self.has_written = True  # whoever is traced writes
        self.update(armed_at=datetime.now(UTC), message=message)

    def update(self, **values: object) -> None:
        self.claim.write(
            lambda session: session.execute(
                update(Action)
                .where(Action.id == self.action_id)
                .values(**values)
                .execution_options(synchronize_session=False)
            )
        )
