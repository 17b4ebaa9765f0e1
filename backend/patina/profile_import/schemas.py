"""What the API says of a file that was read."""

from typing import Literal

from pydantic import BaseModel, Field

from patina.profile.histogram import AgeBin, DepthBin, HistogramName, SizeBin

ReadingFormat = Literal["patina", "geriatrix", "csv", "columns"]


class ReadingRow(BaseModel):
    """A row as it was understood. One with a `problem` is in no histogram."""

    histogram: HistogramName | None = Field(description="null when the row names none that there is")
    file: str
    line: int = Field(description="From 1")
    edge: float | None = Field(description="Bytes, depth or age; null when it is no finite number")
    weight: float | None = Field(description="null when it is no finite number")
    subdirs: float | None = Field(description="Of a depth; null when there is none, or no finite number")
    problem: str | None = Field(description="What is wrong with it, and what to do")


class ReadingProblem(BaseModel):
    """What is to be said of a file that belongs to no row: also notes, such as a heading that was skipped."""

    file: str
    line: int | None = Field(description="From 1; null of the whole file")
    message: str


class ReadHistograms(BaseModel):
    """The good rows. A list may be empty: not every file has all three."""

    size: list[SizeBin]
    depth: list[DepthBin]
    age: list[AgeBin]


class ProfileReading(BaseModel):
    """What was understood, row by row."""

    format: ReadingFormat
    title: str | None
    description: str | None
    source: str | None
    rows: list[ReadingRow]
    problems: list[ReadingProblem]
    histograms: ReadHistograms
    digest: str | None = Field(description="Of the histograms, when all three are there and make a profile")
