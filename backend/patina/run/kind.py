"""The kind of job that ages a device."""

from patina.job.kind import Kind
from patina.run.event import AgeSummary
from patina.run.models import Run
from patina.run.schemas import RunRequest

# One that was interrupted goes on as steering.py says, from its checkpoint.
RUN = Kind(name="run", title="Aging", request=RunRequest, result=AgeSummary, model=Run)
