"""Records of `patina-core age` and related commands, stored with the run and drawn by the page.

One definition has four users: it parses the native core's JSON lines, `job_event.payload` holds
it, the stream sends it, and the frontend's types are generated from it through the OpenAPI schema.
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
    observed_fractions: list[Fraction] = Field(description="One for each bin of the plan, in order")


class ObservedHistograms(EventModel):
    size: ObservedHistogram
    depth: ObservedHistogram
    age: ObservedHistogram


class Lag(EventModel):
    """Fractions of the free space that the plan leaves; above 1 where more than that was freed or written."""

    reuse_fraction: float = Field(ge=0, description="Freed, but not reusable before a commit")
    allocation_fraction: float = Field(ge=0, description="Written, but without blocks before writeback")


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
    rounds_count: Count | None = Field(default=None, description="Done by fsfb; null before the first, or without fsfb")
    histograms: ObservedHistograms | None = Field(description="null for a workload, which has no target histograms")
    predicted_s: float | None = Field(
        default=None, description="Predicted for the aging so far, by the worker, on an emulated disk with a model"
    )


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
    """Layout of the files. An extent is a run of blocks that is contiguous in the file and on the device."""

    directories_count: Count
    files_count: Count
    files_with_data_count: Count = Field(description="Files with at least one block")
    blocks_count: Count
    unwritten_blocks_count: Count
    extents_count: Count
    mean_extents_count: float | None = Field(description="Mean over files with data; null without any")
    max_extents_count: Count
    bins: list[FileExtentBin]
    layout_score: Fraction | None = Field(
        description="Of the blocks that follow another in their file, the fraction that follows it on the device "
        "(Smith and Seltzer, 1997); null without any"
    )
    inter_file_score: Fraction | None = Field(
        description="Of the pairs of files with data adjacent by name in a directory, the fraction where the "
        "second begins behind the end of the first, within inter_file_window_bytes; null without any"
    )
    inter_file_pairs_count: Count
    inter_file_window_bytes: Bytes
    vanished_count: Count = Field(description="Files and directories removed during the measurement")
    unreadable_count: Count = Field(description="Files and directories that could not be opened")
    extents_digest: str = Field(description="SHA-256, hex, of every file's path and block addresses")


class ShingledBlocks(EventModel):
    """Of the free blocks of a shingled disk those that are not as good as others, by cell."""

    unusable_blocks: list[Count] = Field(
        description="In an extent of at most DID blocks, or dead until their band is cleaned"
    )
    damaged_blocks: list[Count] = Field(description="Maybe damaged, or never written")
    unusable_and_damaged_blocks: list[Count] = Field(description="Counted in both of the others")


class BlockMap(EventModel):
    """Use of the device's blocks, by cell; free, metadata, data and unwritten ones add up to its blocks."""

    device_bytes: Bytes = Field(description="Size of the file system")
    block_size_bytes: Bytes
    cell_bytes: Bytes = Field(description="Size of each cell; the last may be shorter")
    free_blocks: list[Count]
    metadata_blocks: list[Count] = Field(description="In use, but in no file")
    data_blocks: list[Count]
    unwritten_blocks: list[Count]
    shingled: ShingledBlocks | None = Field(default=None, description="null without such blocks")


class Baseline(EventModel):
    """Baseline of an aged layout, measured on a scratch device of the same size and format."""

    fresh: FreeExtents = Field(description="Free extents of the empty file system")
    unaged_free: FreeExtents = Field(description="Free extents after the surviving files were allocated once, in order")
    unaged_files: FileLayout | None


class Layout(EventModel):
    """Layout of the file system (docs/design.md, "What a layout tells"). `age` measures only the free extents;
    `layout` measures all of it."""

    type: Literal["layout"]
    ops_count: Count
    elapsed_s: float
    rounds_count: Count | None = Field(default=None, description="The round of fsfb after which this was measured")
    free_extents: FreeExtents
    files: FileLayout | None = None
    block_map: BlockMap | None = None
    layout_digest: str | None = Field(
        default=None, description="SHA-256, hex, of every file's path and block addresses, and of the free space"
    )
    baseline: Baseline | None = Field(default=None, description="null where it was not measured")


class Space(EventModel):
    """Free space of the device while `age` runs, measured with the free extents: a block map without the kinds of used
    blocks, because the files' extents are not read."""

    type: Literal["space"]
    ops_count: Count
    elapsed_s: float
    device_bytes: Bytes = Field(description="Size of the file system")
    block_size_bytes: Bytes
    cell_bytes: Bytes = Field(description="Size of each cell; the last may be shorter")
    free_blocks: list[Count] = Field(description="Free blocks of each cell")
    shingled: ShingledBlocks | None = Field(default=None, description="null without such blocks")


class Checkpoint(EventModel):
    """A durable point from which the run can resume."""

    type: Literal["checkpoint"]
    ops_count: Count
    elapsed_s: float


class Control(EventModel):
    """Result of a line that `age` received on its standard input."""

    type: Literal["control"]
    line: str
    message: str | None = Field(description="Why it was refused; null when it was accepted")


class Progress(EventModel):
    """Progress of a command on an image, or of filling the aged files."""

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
    """Chi-squared test of the age histogram; bins with an expected count under 5 are pooled."""

    statistic: float
    degrees_of_freedom: Count
    p_value: Fraction


class SummaryHistograms(EventModel):
    size: SummaryHistogram
    depth: SummaryHistogram
    age: SummaryHistogram


class Leg(EventModel):
    """A horizon that the plan had until it was revised."""

    horizon_ops_count: Count
    until_ops_count: Count


class StopCondition(EventModel):
    """A condition that ends a run: its limit, null without one, and the achieved value."""

    stop_reason: StopReason
    limit: float | None
    achieved: float
    has_fired: bool


class DiskCheck(EventModel):
    """Check of the aged tree against the model, file by file."""

    files_count: Count
    missing_count: Count
    stray_count: Count
    wrong_size_count: Count
    lacking_count: Count = Field(description="Shorter than planned, because an append was pending")
    histograms: ObservedHistograms | None = Field(default=None, description="null for a workload")


class AgeSummary(EventModel):
    """The last record of `simulate` and `age`: achieved values, measured, beside the requested ones."""

    type: Literal["summary"]
    command: Literal["simulate", "age"]
    stop_reason: StopReason
    ops_count: Count
    create_ops_count: Count
    delete_ops_count: Count
    modification_ops_count: Count = Field(description="Operations other than creates and deletes")
    ops_per_s: float
    elapsed_s: float
    horizon_ops_count: Count
    live_files_count: Count
    live_bytes: Bytes
    written_bytes: Bytes
    fullness: Fraction
    fullness_target: Fraction | None = Field(description="null for a replay, which takes that of its log")
    fullness_statfs: Fraction | None
    fullness_statfs_target: Fraction | None = Field(default=None, description="The target, where it is of statfs")
    lag: Lag | None = Field(default=None, description="The largest of all samples")
    fullness_excursion: Fraction | None = Field(
        description="Largest distance from the target in stable aging; null for a workload"
    )
    overwrites: float
    no_space_count: Count
    rounds_count: Count | None = Field(default=None, description="Rounds of fsfb done; null in other runs")
    threads_count: Count
    way: Way | None = Field(default=None, description="null in a simulation, and in summaries older than modes")
    data_mode: Literal["none", "fallocate", "write", "sparse", "materialize"]
    plan_digest: str = Field(description="SHA-256, hex, of the stream of operations up to ops_count")
    legs: list[Leg]
    stop_conditions: list[StopCondition]
    disk: DiskCheck | None = Field(description="null in a simulation, or after a requested stop")
    age_chi_squared: ChiSquared | None
    histograms: SummaryHistograms | None = Field(description="null for a workload, which has no target histograms")
    set_aside: list[SetAsideBin]
    free_extents: FreeExtents | None = Field(description="null in a simulation or where unsupported")


CaptureMode = Literal["exact", "allocated", "metadata"]


class CaptureSummary(EventModel):
    type: Literal["summary"]
    command: Literal["capture"]
    mode: CaptureMode
    device_bytes: Bytes
    read_bytes: Bytes = Field(description="Read from the device, without the holes of a loop device's backing file")
    zero_bytes: Bytes
    stored_bytes: Bytes = Field(description="Compressed bytes of all distinct chunks of this image")
    new_bytes: Bytes = Field(description="Compressed bytes new to the store")
    chunk_size_bytes: Bytes
    chunks_count: Count
    distinct_chunks_count: Count
    new_chunks_count: Count
    index_digest: str = Field(description="SHA-256, hex, of the index file")
    generation: str = Field(default="", description="Generation of the device at the capture; empty: unknown")
    elapsed_s: float


class RestoreSummary(EventModel):
    type: Literal["summary"]
    command: Literal["restore"]
    device_bytes: Bytes
    written_bytes: Bytes
    zeroed_bytes: Bytes
    verified_bytes: Bytes
    generation: str = Field(description="Generation of the device, which changes with every write; empty: unknown")
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
