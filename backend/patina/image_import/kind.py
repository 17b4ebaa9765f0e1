"""The kind of job that makes an image of an uploaded file."""

from patina.image_import.models import Intake
from patina.image_import.schemas import IntakeCreate, IntakeResult
from patina.job.kind import Kind
from patina.job.state import JobState

# An interrupted import keeps its file; any other end removes it.
IMPORT = Kind(
    name="import",
    request=IntakeCreate,
    result=IntakeResult,
    model=Intake,
    retries=frozenset({JobState.INTERRUPTED}),
    turn_of=lambda job: f"import of {job.request['name']}",
    keeps_turn=True,
)
