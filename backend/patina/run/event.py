"""The union of live events: what patina-core prints, what a run stores, what the stream sends, what the page draws.

One definition for four readers: the native core's JSON lines are parsed by it, `run_event.payload` holds
it, the SSE stream sends it, and the frontend's types are generated from it by way of the OpenAPI schema.
Every quantity carries its unit in its name; every fraction is 0 to 1.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from patina.run.state import Phase, RunState, StopReason

Fraction = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Bytes = Annotated[int, Field(ge=0)]
HistogramName = Literal["size", "depth", "age"]


class EventModel(BaseModel):
    """Strict on what drives the product: an unknown field or a NaN is a contract broken."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


class Hello(EventModel):
    """The first record of every command of patina-core."""

    type: Literal["hello"]
    schema_version: Literal[1]
    program: Literal["patina-core"]
    program_version: str
    command: str


class SetAsideBin(EventModel):
    """A bin of the profile that this capacity cannot represent (aging-model, section 2)."""

    histogram: HistogramName
    edge: float = Field(description="The bin's edge: bytes, directory depth or relative age")
    target_fraction: Fraction = Field(description="Its share of the profile before renormalising")
    reason: Literal["too_large", "too_rare"]


class PlannedBin(EventModel):
    edge: float = Field(description="Bytes, directory depth, or relative age (unitless, ascending)")
    target_fraction: Fraction


class CurvePoint(EventModel):
    """One point of the cost-against-accuracy curve."""

    ops_count: Count
    overwrites: float
    age_rmse: Fraction


class PlannedHistograms(EventModel):
    size: list[PlannedBin]
    depth: list[PlannedBin]
    age: list[PlannedBin]


class Plan(EventModel):
    """What a profile needs at a capacity and fullness. The result of `forecast`, the second record of
    `simulate` and `age`. Source: CMU-PDL-16-105, appendix, as restated in docs/design.md."""

    type: Literal["plan"]
    profile_digest: str = Field(description="SHA-256, hex, of the normalised histograms")
    capacity_bytes: Bytes
    block_size_bytes: Bytes
    fullness: Fraction = Field(description="Target: block-rounded user data over capacity")
    seed: int
    files_count: Count = Field(description="K, expected live files")
    mean_file_bytes: float = Field(description="Mean block-rounded file size")
    minimal_horizon_ops_count: Count = Field(description="T_min")
    horizon_ops_count: Count = Field(description="T, the tick at which the run ends")
    rapid_ops_count: Count = Field(description="Creates of rapid aging, expected")
    written_bytes: Bytes = Field(description="Bytes of all creates, expected")
    overwrites: float = Field(description="written_bytes over capacity")
    critical_age_bin: Count = Field(description="Index into histograms.age of the bin that sets T_min")
    runner_up_horizon_ops_count: Count = Field(description="T_min if the critical bin were relaxed to the next one")
    age_rmse: Fraction = Field(description="Best age RMSE reachable at this horizon, beside the integer floor")
    rmse_floor: Fraction = Field(description="0.29/K, what integers allow")
    budget: Literal["none", "max_rmse", "max_overwrites", "max_ops"]
    set_aside: list[SetAsideBin]
    histograms: PlannedHistograms
    curve: list[CurvePoint]


class ObservedHistogram(EventModel):
    rmse: Fraction
    rmse_floor: Fraction
    observed_fractions: list[Fraction] = Field(description="Beside the plan's bins, in order")


class ObservedHistograms(EventModel):
    size: ObservedHistogram
    depth: ObservedHistogram
    age: ObservedHistogram


class Sample(EventModel):
    """One point of a run's telemetry."""

    type: Literal["sample"]
    phase: Literal[Phase.RAPID, Phase.STABLE]
    ops_count: Count
    elapsed_s: float
    progress_fraction: Fraction
    eta_s: float | None
    ops_per_s: float = Field(description="Since the previous sample")
    live_files_count: Count
    live_bytes: Bytes = Field(description="Block-rounded")
    fullness: Fraction = Field(description="By the model")
    fullness_statfs: Fraction | None = Field(description="By statfs; null in a simulation")
    overwrites: float
    no_space_count: Count = Field(description="Creates refused with ENOSPC so far")
    histograms: ObservedHistograms


class FreeExtentBin(EventModel):
    """Free extents of min_blocks to 2*min_blocks-1 blocks."""

    min_blocks: Count
    extents_count: Count
    blocks_count: Count


class FreeExtents(EventModel):
    block_size_bytes: Bytes
    free_blocks_count: Count
    extents_count: Count
    mean_extent_bytes: float
    max_extent_bytes: Bytes
    bins: list[FreeExtentBin]


class Layout(EventModel):
    """Free-space fragmentation of the mounted file system (aging-model, section 6)."""

    type: Literal["layout"]
    ops_count: Count
    elapsed_s: float
    free_extents: FreeExtents


class Checkpoint(EventModel):
    """A durable point from which the run can go on."""

    type: Literal["checkpoint"]
    ops_count: Count
    elapsed_s: float


class Progress(EventModel):
    """How far a capture or restore has come."""

    type: Literal["progress"]
    command: Literal["capture", "restore"]
    done_bytes: Bytes
    total_bytes: Bytes
    elapsed_s: float


class SummaryBin(EventModel):
    edge: float
    target_fraction: Fraction
    observed_fraction: Fraction
    target_count: float
    observed_count: Count


class SummaryHistogram(EventModel):
    rmse: Fraction
    rmse_floor: Fraction
    bins: list[SummaryBin]


class ChiSquared(EventModel):
    """Of the age histogram; bins with an expected count under 5 are pooled."""

    statistic: float
    degrees_of_freedom: Count
    p_value: Fraction


class SummaryHistograms(EventModel):
    size: SummaryHistogram
    depth: SummaryHistogram
    age: SummaryHistogram


class AgeSummary(EventModel):
    """The last record of `simulate` and `age`: what was achieved, measured, beside what was asked for."""

    type: Literal["summary"]
    command: Literal["simulate", "age"]
    stop_reason: StopReason
    ops_count: Count
    create_ops_count: Count
    delete_ops_count: Count
    ops_per_s: float
    elapsed_s: float
    horizon_ops_count: Count
    live_files_count: Count
    live_bytes: Bytes
    written_bytes: Bytes
    fullness: Fraction
    fullness_target: Fraction
    fullness_statfs: Fraction | None
    fullness_excursion: Fraction = Field(description="Largest distance from the target in stable aging")
    overwrites: float
    no_space_count: Count
    threads_count: Count
    data_mode: Literal["none", "fallocate", "write", "sparse"]
    plan_digest: str = Field(description="SHA-256, hex, of the stream of operations up to ops_count")
    age_chi_squared: ChiSquared
    histograms: SummaryHistograms
    set_aside: list[SetAsideBin]
    free_extents: FreeExtents | None = Field(description="null in a simulation or where unsupported")


class CaptureSummary(EventModel):
    type: Literal["summary"]
    command: Literal["capture"]
    mode: Literal["exact"]
    device_bytes: Bytes
    read_bytes: Bytes = Field(description="Read from the device; holes of a loop's backing file are not")
    zero_bytes: Bytes
    stored_bytes: Bytes = Field(description="Compressed bytes of all distinct chunks of this image")
    new_bytes: Bytes = Field(description="Compressed bytes that the store did not have before")
    chunk_size_bytes: Bytes
    chunks_count: Count
    distinct_chunks_count: Count
    new_chunks_count: Count
    index_digest: str = Field(description="SHA-256, hex, of the index file")
    elapsed_s: float


class RestoreSummary(EventModel):
    type: Literal["summary"]
    command: Literal["restore"]
    device_bytes: Bytes
    written_bytes: Bytes
    zeroed_bytes: Bytes
    verified_bytes: Bytes
    elapsed_s: float


class CoreError(EventModel):
    """The last record of a command that failed. `code` is one of the core's documented error codes."""

    type: Literal["error"]
    code: str
    message: str


class StateChange(EventModel):
    """The run moved. Written by whoever moved it, in the same transaction."""

    type: Literal["state"]
    state: RunState
    phase: Phase | None
    message: str


class Step(EventModel):
    """The worker did one thing to the host; prose for the run's log."""

    type: Literal["step"]
    message: str


AgeRecord = Annotated[Hello | Plan | Sample | Layout | Checkpoint | AgeSummary | CoreError, Field(discriminator="type")]
CaptureRecord = Annotated[Hello | Progress | CaptureSummary | CoreError, Field(discriminator="type")]
RestoreRecord = Annotated[Hello | Progress | RestoreSummary | CoreError, Field(discriminator="type")]

RunPayload = Annotated[
    StateChange | Step | Plan | Sample | Layout | Checkpoint | Progress | AgeSummary | CoreError,
    Field(discriminator="type"),
]


class RunEvent(EventModel):
    """A stored event of a run. `sequence` is gapless from 1 within a run; it is the SSE id."""

    run_id: int
    sequence: int
    at: datetime
    payload: RunPayload


age_record: TypeAdapter[AgeRecord] = TypeAdapter(AgeRecord)
capture_record: TypeAdapter[CaptureRecord] = TypeAdapter(CaptureRecord)
restore_record: TypeAdapter[RestoreRecord] = TypeAdapter(RestoreRecord)
run_payload: TypeAdapter[RunPayload] = TypeAdapter(RunPayload)
