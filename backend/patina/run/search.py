"""Search of the list of runs: its conditions and its order."""

from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, Field, StringConstraints

from patina.core.contract.workload import WorkloadName
from patina.file_system.table import FileSystem
from patina.http.page import Cursor, Limit
from patina.job.state import JobState
from patina.run.sort import RunSort

_Id = Annotated[int, Field(ge=1, lt=2**63)]
_Word = Annotated[str, StringConstraints(max_length=200)]
_MOST_VALUES_COUNT = 50


class RunSearch(BaseModel):
    """Conditions that a run meets: one of the values of each that has some."""

    q: str = Field("", max_length=200, description="A part of the name or of a tag")
    state: list[JobState] = Field([], max_length=_MOST_VALUES_COUNT)
    profile: list[_Word] = Field([], max_length=_MOST_VALUES_COUNT, description="Names of profiles")
    workload: list[WorkloadName] = Field([], max_length=_MOST_VALUES_COUNT)
    file_system: list[FileSystem] = Field([], max_length=_MOST_VALUES_COUNT)
    device_id: list[_Id] = Field([], max_length=_MOST_VALUES_COUNT)
    host_id: list[_Id] = Field([], max_length=_MOST_VALUES_COUNT)
    batch_id: list[_Id] = Field([], max_length=_MOST_VALUES_COUNT)
    tag: list[_Word] = Field([], max_length=_MOST_VALUES_COUNT)
    since: AwareDatetime | None = Field(None, description="Runs that were created then or later")
    until: AwareDatetime | None = Field(None, description="Runs that were created before")
    archived: bool = Field(False, description="true: archived runs; false: the others")
    log_of_host_id: _Id | None = Field(
        None, description="Only runs whose operation log is on this host, which can replay them"
    )

    def values(self) -> dict[str, Any]:
        """Returns the values of the conditions that are given, by name."""
        given = {name: getattr(self, name) or None for name in RunSearch.model_fields}
        return given | {"q": self.q.strip().lower() or None, "archived": self.archived}


class RunQuery(RunSearch):
    """A search, and the page of its result."""

    sort: RunSort = RunSort.CREATED
    is_descending: bool = Field(True, description="The newest, the last name, the largest number first")
    cursor: Cursor = None
    limit: Limit = 50
