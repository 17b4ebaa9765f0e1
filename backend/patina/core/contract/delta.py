"""Records of traces and deltas."""

from typing import Literal

from pydantic import Field

from patina.core.record import Bytes, Command, CoreError, Count, EventModel, Hello


class UnavailableSource(EventModel):
    source: str
    reason: str


class Armed(EventModel):
    """From here on the trace records every write to the device."""

    type: Literal["armed"]
    source: str
    unavailable_sources: list[UnavailableSource]
    device_bytes: Bytes
    generation: str | None
    incomplete_reason: str | None


class TraceProgress(EventModel):
    type: Literal["progress"]
    command: Literal["trace"]
    events_count: Count
    touched_bytes: Bytes
    dropped_count: Count
    elapsed_s: float


class Seen(EventModel):
    """Counts of the events that a trace recorded."""

    type: Literal["summary"]
    source: str
    complete: bool
    incomplete_reason: str | None
    device_bytes: Bytes
    events_count: Count
    writes_count: Count
    dropped_count: Count
    touched_bytes: Bytes
    generation_begin: str | None
    generation_end: str | None


class TraceSummary(Seen):
    command: Literal["trace"]
    written_bytes: Bytes = Field(description="Of all writes, without discards")
    metadata_written_bytes: Bytes = Field(description="Of those that the file system marked as metadata")
    reads_count: Count = Field(description="Requests to read that reached the driver")
    read_bytes: Bytes
    read_jumps_count: Count = Field(description="Reads that did not begin where the one before ended")
    elapsed_s: float


class DeltaSummary(Seen):
    command: Literal["delta"]
    extents_count: Count
    delta_digest: str = Field(description="SHA-256, hex, of the delta file")


class Generation(EventModel):
    """A mark of the device that changes with every write."""

    type: Literal["generation"]
    device: str
    generation: str | None
    reason: str | None = Field(description="Why it is unknown")


class GenerationSummary(EventModel):
    type: Literal["summary"]
    command: Literal["generation"]
    devices_count: Count


TraceRecord = Hello | Armed | TraceProgress | TraceSummary | CoreError
DeltaRecord = Hello | DeltaSummary | CoreError
GenerationRecord = Hello | Generation | GenerationSummary | CoreError

TRACE = Command[TraceRecord, TraceSummary]("trace", TraceRecord, TraceSummary)
DELTA = Command[DeltaRecord, DeltaSummary]("delta", DeltaRecord, DeltaSummary)
GENERATION = Command[GenerationRecord, GenerationSummary]("generation", GenerationRecord, GenerationSummary)
