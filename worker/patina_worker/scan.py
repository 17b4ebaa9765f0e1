"""Walks a directory tree into histograms: `patina-core scan` on a folder that this host lets be scanned."""

import time
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import update

from patina.db import transaction
from patina.scan.models import Scan
from patina.scan.record import ScanProgress, ScanRecord, ScanSummary, scan_record
from patina.scan.service import require_allowed
from patina.scan.state import ScanState
from patina.settings import settings
from patina_worker import stopping
from patina_worker.failure import RunCanceled, WorkerStopping
from patina_worker.native import run_core

LOOK_S = 0.5


class _Watch:
    """Writes progress, and learns whether somebody called the scan off, twice a second."""

    def __init__(self, scan_id: int) -> None:
        self._scan_id = scan_id
        self._looked_at = 0.0
        self.progress: ScanProgress | None = None
        self.is_canceled = False

    def should_stop(self) -> bool:
        if not self.is_canceled and time.monotonic() - self._looked_at > LOOK_S:
            self._looked_at = time.monotonic()
            self.is_canceled = self._look()
        return self.is_canceled or stopping.is_announced()

    def _look(self) -> bool:
        values = {} if self.progress is None else {"progress": self.progress.model_dump(mode="json")}
        with transaction() as session:
            state = session.scalar(
                update(Scan)
                .where(Scan.id == self._scan_id)
                .values({"state": Scan.state, **values})
                .returning(Scan.state)
                .execution_options(synchronize_session=False)
            )
        return state != ScanState.RUNNING


def scan(*, scan_id: int, directory: str) -> ScanSummary:
    """The tree's figures and profile. ScanNotAllowed, CoreFailed and its like, RunCanceled, WorkerStopping."""
    folders = [str(Path(folder).resolve()) for folder in settings().scan_folders_list]
    place = require_allowed(directory=str(Path(directory).resolve()), folders=folders, host_name=settings().host_name)
    watch = _Watch(scan_id)
    found: list[ScanSummary] = []

    def _take(record: ScanRecord) -> None:
        if isinstance(record, ScanProgress):
            watch.progress = record
        elif isinstance(record, ScanSummary):
            found.append(record)

    try:
        run_core(["scan", place], adapter=scan_record, on_record=_take, check=watch.should_stop, last="scan")
    except Exception:
        if watch.is_canceled:
            raise RunCanceled from None
        if stopping.is_announced():
            raise WorkerStopping from None
        raise
    return found[-1]


def interrupt_dead(*, host_id: int) -> None:
    """When the worker starts, nobody walks any more."""
    with transaction() as session:
        session.execute(
            update(Scan)
            .where(Scan.host_id == host_id, Scan.state.in_((ScanState.RUNNING, ScanState.CANCELING)))
            .values(state=ScanState.INTERRUPTED, finished_at=datetime.now(UTC))
            .execution_options(synchronize_session=False)
        )
