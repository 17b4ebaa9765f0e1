"""Schemas of a reading."""

from typing import Literal

from pydantic import BaseModel, Field

from patina.profile.histogram import AgeBin, DepthBin, HistogramName, SizeBin

ReadingFormat = Literal["patina", "geriatrix", "csv", "columns"]


class ReadingRow(BaseModel):
    """A row as read. A row with a `problem` is in no histogram."""

    histogram: HistogramName | None = Field(description="null if the row names no known histogram")
    file: str
    line: int = Field(description="From 1")
    edge: float | None = Field(description="Bytes, depth or age; null without a finite number")
    weight: float | None = Field(description="null without a finite number")
    subdirs: float | None = Field(description="For a depth; null without a finite number")
    problem: str | None = Field(description="The error, and its remedy")


class ReadingProblem(BaseModel):
    """A message on a file rather than on a row: an error, or a note, such as a skipped heading."""

    file: str
    line: int | None = Field(description="From 1; null for the whole file")
    message: str


class ReadHistograms(BaseModel):
    """The valid rows. A list may be empty: not every file has all three."""

    size: list[SizeBin]
    depth: list[DepthBin]
    age: list[AgeBin]


class ProfileReading(BaseModel):
    """The result of reading files, row by row."""

    format: ReadingFormat
    title: str | None
    description: str | None
    source: str | None
    rows: list[ReadingRow]
    problems: list[ReadingProblem]
    histograms: ReadHistograms
    digest: str | None = Field(description="Profile digest, if all three histograms are present and valid")
