"""Handles scans: walks a directory tree below a scan folder of this host into histograms, by `patina-core scan`."""

from pydantic import BaseModel

from patina.core.contract.scan import SCAN, ScanProgress, ScanRecord
from patina.core.supervised import run_core
from patina.figures import in_bytes
from patina.scan.schemas import ScanCreate
from patina_worker.host.scan_folders import allowed
from patina_worker.jobs.log import JobLog
from patina_worker.jobs.outcome import Done


def handle(request: BaseModel, log: JobLog, lock: int) -> Done:
    """Returns the tree's figures and profile. Raises ScanNotAllowed, CoreFailed and its like, Stopped."""
    assert isinstance(request, ScanCreate)
    place = allowed(request.directory)
    log.enter(f"Walking {place}")

    def _show(record: ScanRecord) -> None:
        if isinstance(record, ScanProgress):
            log.progress(record.files_count, None, "files")

    summary = run_core(SCAN, [place], on_record=_show, check=log.must_stop, inherit=(lock,))
    return Done(
        f"{summary.files_count} files in {summary.directories_count} directories, {in_bytes(summary.bytes)}", summary
    )
