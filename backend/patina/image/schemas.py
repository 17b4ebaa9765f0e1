"""What the API says of images."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from patina.forecast.plan import Plan
from patina.run.event import AgeSummary, CaptureSummary
from patina.run.recipe import Recipe


class ImageRead(BaseModel):
    id: int
    run_id: int
    name: str
    profile: str
    profile_title: str
    profile_version_number: int
    file_system: str
    fullness: float = Field(description="Achieved, by statfs's capacity and the model's live bytes")
    mode: Literal["exact"]
    size_bytes: int
    stored_bytes: int
    index_digest: str
    recipe: Recipe
    plan: Plan
    summary: AgeSummary
    capture: CaptureSummary
    extract_command: str = Field(description="The line that gives the device's bytes with casync")
    created_at: datetime


class ImagePage(BaseModel):
    """Newest first. `next_cursor` is null on the last page."""

    items: list[ImageRead]
    next_cursor: int | None
