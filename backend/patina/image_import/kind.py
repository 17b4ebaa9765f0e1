"""The kind of job that makes an image of a file that is sent."""

from patina.image_import.models import Intake
from patina.image_import.schemas import IntakeCreate, IntakeResult
from patina.job.kind import Kind
from patina.job.state import JobState

# The file of one that was interrupted is kept; of one that has ended otherwise it is not.
IMPORT = Kind(
    name="import",
    request=IntakeCreate,
    result=IntakeResult,
    model=Intake,
    retries=frozenset({JobState.INTERRUPTED}),
    turn_of=lambda job: f"import of {job.request['name']}",
    keeps_turn=True,
)
