"""What the worker measures: the environment of a trial, and each repetition."""

from pydantic import BaseModel, ConfigDict, Field

from patina.core.contract.age import FreeExtents
from patina.core.contract.measured import MeasuredOperation


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class TrialEnvironment(_Record):
    """The machine, as it was when the trial began."""

    host: str
    kernel: str
    cpu: str
    cores_count: int
    memory_bytes: int
    device_path: str
    device_model: str | None
    device_size_bytes: int
    device_medium: str | None = Field(description="Of a sandbox device: file or memory")
    logical_sector_bytes: int | None
    is_rotational: bool | None
    io_scheduler: str | None
    readahead_bytes: int | None
    write_cache: str | None
    patina_version: str
    tools: dict[str, str]


class DeviceTraffic(_Record):
    """Traffic of the device, from its stat file, with a sync of the file system before both readings."""

    reads_count: int
    read_bytes: int
    writes_count: int
    written_bytes: int
    discarded_bytes: int
    flushes_count: int
    elapsed_s: float | None = Field(default=None, description="Time between the readings; null: not measured")
    predicted_s: float | None = Field(
        default=None, description="The same with the waits for the modelled disk, predicted; null: no disk model"
    )


class Background(_Record):
    """Other work on the host while it was measured."""

    jobs: list[str] = Field(description="Other jobs of Patina on this host: run 12")
    busy_fraction: float = Field(description="Of the processors, just before the repetition began")
    is_quiet: bool


class Restoration(_Record):
    """How the device came to hold the image before the repetition."""

    how: str = Field(description="restore; rollback of the traced blocks; compare: a rollback that compared everything")
    elapsed_s: float
    written_bytes: int


LAYOUT_BLOCK_BYTES = 4096


class TraceFigures(_Record):
    """What a trace recorded, from the mount to the unmount."""

    source: str
    touched_bytes: int = Field(description="Of the blocks that were written")
    incomplete_reason: str | None
    written_bytes: int | None = Field(default=None, description="Of all writes; null: the tracer died")
    metadata_written_bytes: int | None = Field(
        default=None, description="Of those that the file system marked as metadata; ext2 marks none"
    )
    reads_count: int | None = Field(default=None, description="Requests to read")
    read_bytes: int | None = None
    read_jumps_count: int | None = Field(
        default=None, description="Reads that did not begin where the one before ended"
    )

    @property
    def layout_score(self) -> float | None:
        """Returns the dynamic layout score: the fraction of the 4 KiB blocks read that follow the block read before
        (Conway et al., FAST 2017). None without a block."""
        if self.read_bytes is None or self.read_jumps_count is None or self.read_bytes < LAYOUT_BLOCK_BYTES:
            return None
        return max(0.0, 1 - self.read_jumps_count / (self.read_bytes / LAYOUT_BLOCK_BYTES))


class Point(_Record):
    """A measurement of a workload that ages the device itself, between two parts of its aging."""

    at: float = Field(description="Commits pulled")
    value: float = Field(description="The workload's metric")
    used_bytes: int = Field(description="Of the files, by du")
    pulls_count: int = Field(description="Pulls of all clones since the point before")
    elapsed_s: float | None = Field(description="Of the pulls since the point before; null: none, or copied")
    written_bytes: int | None = Field(description="By these pulls, or by the copy; null: not known")
    device_written_bytes: int = Field(description="To the device, by these pulls or the copy")


class Measurement(_Record):
    """One repetition."""

    value: float = Field(description="The workload's metric")
    elapsed_s: float = Field(description="Measured time")
    mount_options: str
    restoration: Restoration
    background: Background
    allocated: DeviceTraffic | None = Field(description="While the workload's files were written; null: it has none")
    device: DeviceTraffic = Field(description="While it ran")
    written_bytes: int | None = Field(description="By the workload itself; null: not known")
    read_bytes: int | None
    write_amplification: float | None = Field(
        description="Bytes written to the device while it ran, over the bytes that the workload wrote"
    )
    space_amplification: float | None = Field(
        default=None,
        description="What the workload's files took of the file system in the end, over their sizes; null: none",
    )
    traced: TraceFigures | None = Field(description="null: without a trace")
    layout_score: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Dynamic layout score of a cold read of everything, from the trace of its reads; null: none",
    )
    free_extents_before: FreeExtents | None = Field(default=None, description="Of the image; null: not measured")
    free_extents_after: FreeExtents | None = Field(
        default=None, description="Of the device, unmounted; null: unsupported"
    )
    operations: list[MeasuredOperation] = Field(default_factory=list)
    samples: list[tuple[float, int]] = Field(default_factory=list, description="Operations done by a time")
    points: list[Point] = Field(default_factory=list, description="Of a workload that ages the device itself")
    steady_from_s: float | None = None
    figures: dict[str, float] = Field(default_factory=dict, description="Further figures of this kind of workload")
    output: dict[str, object] | None = Field(default=None, description="The program's own report, whole")
