"""The kind of job that removes unreferenced chunks from a host's store. A host runs one at a time."""

from patina.gc.schemas import CollectionRequest, CollectionSummary
from patina.job.kind import Kind
from patina.job.state import JobState

COLLECTION = Kind(
    name="collection",
    request=CollectionRequest,
    result=CollectionSummary,
    retries=frozenset({JobState.FAILED, JobState.CANCELED, JobState.INTERRUPTED}),
    turn_of=lambda job: f"collection of host {job.host.id}",
)
