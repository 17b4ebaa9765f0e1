"""The kind of job that measures workloads on images."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.job.kind import Kind
from patina.job.models import Job
from patina.job.state import ENDED, JobState
from patina.run.models import Run
from patina.trial.models import Trial
from patina.trial.schemas import TrialRequest, TrialResult
from patina.trial.settings import TrialSettings


def _may_begin(session: Session, job: Job) -> bool:
    """Returns whether the runs that make its images have ended."""
    assert isinstance(job, Trial)
    runs = [arm.run_id for arm in TrialSettings.model_validate(job.settings).arms if arm.run_id is not None]
    return session.scalar(select(Run.id).where(Run.id.in_(runs), Run.state.not_in(ENDED)).limit(1)) is None


TRIAL = Kind(
    name="trial",
    request=TrialRequest,
    result=TrialResult,
    model=Trial,
    retries=frozenset({JobState.FAILED, JobState.CANCELED, JobState.INTERRUPTED}),
    may_begin=_may_begin,
    resumes=True,
)
