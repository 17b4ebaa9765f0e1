"""The kind of job that ages a device."""

from pydantic import BaseModel

from patina.job.kind import Kind
from patina.run.models import Run
from patina.run.schemas import RunRequest


class RunResult(BaseModel):
    """The run's result. Measurements are in its summary."""

    image_id: int


# An interrupted run resumes from its checkpoint, by steering.py.
RUN = Kind(name="run", request=RunRequest, result=RunResult, model=Run)
