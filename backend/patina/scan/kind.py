"""The kind of job that walks a directory tree of a host into a profile. A host walks one tree at a time."""

from patina.core.contract.scan import ScanSummary
from patina.job.kind import Kind
from patina.job.state import JobState
from patina.scan.schemas import ScanCreate

SCAN = Kind(
    name="scan",
    request=ScanCreate,
    result=ScanSummary,
    retries=frozenset({JobState.FAILED, JobState.CANCELED, JobState.INTERRUPTED}),
    turn_of=lambda job: f"scan of host {job.host.id}",
)
