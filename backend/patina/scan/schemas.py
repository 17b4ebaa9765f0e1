"""Schemas of scans."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from patina.core.contract.scan import ScanSummary
from patina.job.schemas import JobRead


class ScanCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    host_name: Annotated[str | None, Field(max_length=200, description="Default: the only host")] = None
    directory: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4095,
            pattern=r"^/[^\x00]*$",
            description="One of the host's scan folders, or a folder below one",
        ),
    ]


class ScanRead(JobRead):
    request: ScanCreate
    result: ScanSummary | None
