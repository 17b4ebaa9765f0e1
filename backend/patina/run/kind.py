"""The kind of job that ages a device."""

from pydantic import BaseModel

from patina.job.kind import Kind
from patina.run.models import Run
from patina.run.schemas import RunRequest


class RunResult(BaseModel):
    """What came of it. What was measured on the way is in the run's summary."""

    image_id: int


# One that was interrupted goes on as steering.py says, from its checkpoint.
RUN = Kind(name="run", request=RunRequest, result=RunResult, model=Run)
