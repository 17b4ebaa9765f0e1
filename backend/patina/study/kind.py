"""The kind of job that simulates shingled disks."""

from patina.job.kind import Kind
from patina.job.state import JobState
from patina.study.models import Study
from patina.study.schemas import StudyOutcome, StudyRequest

STUDY = Kind(
    name="study",
    request=StudyRequest,
    result=StudyOutcome,
    model=Study,
    retries=frozenset({JobState.FAILED, JobState.CANCELED, JobState.INTERRUPTED}),
    resumes=True,
)
