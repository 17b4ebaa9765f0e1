"""What patina-core prints while it works for a run, what the run stores of it, and what the page draws.

One definition for four readers: the native core's JSON lines are parsed by it, `job_event.payload` holds
it, the stream sends it, and the frontend's types are generated from it by way of the OpenAPI schema.
Every quantity carries its unit in its name; every fraction is 0 to 1.
"""

from typing import Literal

from pydantic import Field

from patina.core.contract.phase import Phase, StopReason
from patina.core.contract.plan import Plan, SetAsideBin
from patina.core.contract.way import Way
from patina.core.contract.workload import WorkloadPlan
from patina.core.record import Bytes, Command, CoreError, Count, EventModel, Fraction, Hello


class ObservedHistogram(EventModel):
    rmse: Fraction
    rmse_floor: Fraction
    observed_fractions: list[Fraction] = Field(description="Beside the plan's bins, in order")


class ObservedHistograms(EventModel):
    size: ObservedHistogram
    depth: ObservedHistogram
    age: ObservedHistogram


class Lag(EventModel):
    """Over the free space that the plan leaves; more than 1 where more was freed or written than that."""

    reuse_fraction: float = Field(ge=0, description="Freed and not reusable before a commit")
    allocation_fraction: float = Field(ge=0, description="Written, and without blocks before writeback")


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
    lag: Lag | None = Field(default=None, description="null where the file system reports none, and in a simulation")
    overwrites: float
    no_space_count: Count = Field(description="Creates refused with ENOSPC so far")
    rounds_count: Count | None = Field(default=None, description="Done by fsfb; null before the first, and otherwise")
    histograms: ObservedHistograms | None = Field(description="null: a workload has no histograms to meet")


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


class FileExtentBin(EventModel):
    """Files of min_extents to 2*min_extents-1 extents."""

    min_extents: Count
    files_count: Count


class FileLayout(EventModel):
    """How the files lie. An extent is a run of blocks that is one in the file and one on the device."""

    directories_count: Count
    files_count: Count
    files_with_data_count: Count = Field(description="With at least one block of their own")
    blocks_count: Count
    unwritten_blocks_count: Count
    extents_count: Count
    mean_extents_count: float | None = Field(description="Of files with data; null when there is none")
    max_extents_count: Count
    bins: list[FileExtentBin]
    layout_score: Fraction | None = Field(
        description="Of the blocks that follow another in their file, those that follow it on the device "
        "(Smith and Seltzer, 1997); null when there is none"
    )
    inter_file_score: Fraction | None = Field(
        description="Of the pairs of files with data that follow each other by name in a directory, those where the "
        "second begins behind the end of the first, within inter_file_window_bytes; null when there is none"
    )
    inter_file_pairs_count: Count
    inter_file_window_bytes: Bytes
    vanished_count: Count = Field(description="Files and directories that went away meanwhile")
    unreadable_count: Count = Field(description="Files and directories that could not be opened")
    extents_digest: str = Field(description="SHA-256, hex, of every file's path and places")


class BlockMap(EventModel):
    """What the device's blocks are used for, by cell; the four numbers of a cell add up to its blocks."""

    device_bytes: Bytes = Field(description="As far as the file system reaches")
    block_size_bytes: Bytes
    cell_bytes: Bytes = Field(description="Of each cell but the last, which may be shorter")
    free_blocks: list[Count]
    metadata_blocks: list[Count] = Field(description="In use, and in no file that was found")
    data_blocks: list[Count]
    unwritten_blocks: list[Count]


class Baseline(EventModel):
    """What an aged layout is compared with, on a scratch device of the same size and format."""

    fresh: FreeExtents = Field(description="Of the empty file system")
    unaged_free: FreeExtents = Field(description="Once the files that are left were allocated, once, in order")
    unaged_files: FileLayout | None


class Layout(EventModel):
    """Where the file system put things (aging-model, section 6). While `age` runs only the free extents are
    measured; `layout` measures all of it."""

    type: Literal["layout"]
    ops_count: Count
    elapsed_s: float
    rounds_count: Count | None = Field(default=None, description="The round of fsfb at whose end this was measured")
    free_extents: FreeExtents
    files: FileLayout | None = None
    block_map: BlockMap | None = None
    layout_digest: str | None = Field(
        default=None, description="SHA-256, hex, of every file's path and places and of the free space"
    )
    baseline: Baseline | None = Field(default=None, description="Of an aged device; null where it was not measured")


class Space(EventModel):
    """Where the device is free while `age` runs, measured with the free extents: a block map that tells nothing else
    apart, because no file is asked where it lies."""

    type: Literal["space"]
    ops_count: Count
    elapsed_s: float
    device_bytes: Bytes = Field(description="As far as the file system reaches")
    block_size_bytes: Bytes
    cell_bytes: Bytes = Field(description="Of each cell but the last, which may be shorter")
    free_blocks: list[Count] = Field(description="By cell")


class Checkpoint(EventModel):
    """A durable point from which the run can go on."""

    type: Literal["checkpoint"]
    ops_count: Count
    elapsed_s: float


class Control(EventModel):
    """What became of a line that `age` was given on its standard input."""

    type: Literal["control"]
    line: str
    message: str | None = Field(description="Why it was refused; null when it was obeyed")


class Progress(EventModel):
    """How far a command about an image has come, or the filling of the files that an aging left."""

    type: Literal["progress"]
    command: Literal["age", "capture", "restore", "verify", "rollback"]
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


class Leg(EventModel):
    """A horizon that was aimed at until the plan was revised."""

    horizon_ops_count: Count
    until_ops_count: Count


class StopCondition(EventModel):
    """A condition that would end a run: its limit, null where none was set, beside what was achieved."""

    stop_reason: StopReason
    limit: float | None
    achieved: float
    has_fired: bool


class DiskCheck(EventModel):
    """The aged tree, walked and compared with the model file by file."""

    files_count: Count
    missing_count: Count
    stray_count: Count
    wrong_size_count: Count
    lacking_count: Count = Field(description="Shorter than they are to be, because an append was still due")
    histograms: ObservedHistograms | None = Field(default=None, description="null: a workload has none")


class AgeSummary(EventModel):
    """The last record of `simulate` and `age`: what was achieved, measured, beside what was asked for."""

    type: Literal["summary"]
    command: Literal["simulate", "age"]
    stop_reason: StopReason
    ops_count: Count
    create_ops_count: Count
    delete_ops_count: Count
    modification_ops_count: Count = Field(description="Neither creates nor deletes")
    ops_per_s: float
    elapsed_s: float
    horizon_ops_count: Count
    live_files_count: Count
    live_bytes: Bytes
    written_bytes: Bytes
    fullness: Fraction
    fullness_target: Fraction | None = Field(description="null: a replay has that of its log")
    fullness_statfs: Fraction | None
    fullness_statfs_target: Fraction | None = Field(default=None, description="The goal, where it is of statfs")
    lag: Lag | None = Field(default=None, description="The largest of its samples")
    fullness_excursion: Fraction | None = Field(
        description="Largest distance from the target in stable aging; null of a workload"
    )
    overwrites: float
    no_space_count: Count
    rounds_count: Count | None = Field(default=None, description="Done by fsfb; null of anything else")
    threads_count: Count
    way: Way | None = Field(default=None, description="null in a simulation, and in summaries from before modes")
    data_mode: Literal["none", "fallocate", "write", "sparse", "materialize"]
    plan_digest: str = Field(description="SHA-256, hex, of the stream of operations up to ops_count")
    legs: list[Leg]
    stop_conditions: list[StopCondition]
    disk: DiskCheck | None = Field(description="null in a simulation, or when it was told to stop")
    age_chi_squared: ChiSquared | None
    histograms: SummaryHistograms | None = Field(description="null: a workload has no histograms to meet")
    set_aside: list[SetAsideBin]
    free_extents: FreeExtents | None = Field(description="null in a simulation or where unsupported")


CaptureMode = Literal["exact", "allocated", "metadata"]


class CaptureSummary(EventModel):
    type: Literal["summary"]
    command: Literal["capture"]
    mode: CaptureMode
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
    generation: str = Field(default="", description="Of the device, when it was captured; empty: not known")
    elapsed_s: float


class RestoreSummary(EventModel):
    type: Literal["summary"]
    command: Literal["restore"]
    device_bytes: Bytes
    written_bytes: Bytes
    zeroed_bytes: Bytes
    verified_bytes: Bytes
    generation: str = Field(description="Changes whenever the device is written to; empty: not known")
    elapsed_s: float


AgeRecord = (
    Hello | Plan | WorkloadPlan | Sample | Layout | Space | Checkpoint | Control | Progress | AgeSummary | CoreError
)
CaptureRecord = Hello | Progress | CaptureSummary | CoreError
LayoutRecord = Hello | Layout | CoreError
RestoreRecord = Hello | Progress | RestoreSummary | CoreError

AGE = Command[AgeRecord, AgeSummary]("age", AgeRecord, AgeSummary)
CAPTURE = Command[CaptureRecord, CaptureSummary]("capture", CaptureRecord, CaptureSummary)
LAYOUT = Command[LayoutRecord, Layout]("layout", LayoutRecord, Layout)
RESTORE = Command[RestoreRecord, RestoreSummary]("restore", RestoreRecord, RestoreSummary)
