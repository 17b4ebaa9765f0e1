"""What the API says and takes of scans."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from patina.scan.record import ScanProgress, ScanSummary
from patina.scan.state import ScanState


class ScanCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    host_name: Annotated[str | None, Field(max_length=200, description="The only host when absent")] = None
    directory: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4095,
            pattern=r"^/[^\x00]*$",
            description="One of the host's scan_folders, or below",
        ),
    ]


class ScanRead(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    host_name: str
    directory: str
    state: ScanState
    progress: ScanProgress | None
    result: ScanSummary | None
    error_code: str | None
    error_message: str | None
    created_at: datetime
    finished_at: datetime | None
