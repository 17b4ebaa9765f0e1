"""Ways to carry out a mode of aging: rows of `patina-core modes`, kept in a run's summary and recipe."""

from typing import Literal, get_args

from pydantic import Field

from patina.core.record import Command, CoreError, Count, EventModel, Fraction, Hello

# faithful: to the reference's layout, by the cheapest known way. fast: fewer guarantees. reference: written and
# committed every few operations. unbounded: as fast tools do, without a bound on the reuse lag.
AgingMode = Literal["faithful", "fast", "reference", "unbounded"]
AGING_MODES: tuple[AgingMode, ...] = get_args(AgingMode)
# files: their block-rounded data. statfs: all space that the file system counts as used, with its metadata.
FullnessOf = Literal["files", "statfs"]


class Way(EventModel):
    mode: AgingMode
    writes_files: bool = Field(description="Files are written, not allocated, independently of the data mode")
    threads_count: Count = Field(description="0: as many as cores, up to 4")
    write_back_ops: Count = Field(description="Operations between writebacks; 0: left to the kernel")
    keeps_freed: bool = Field(description="Deleted files are freed after the next writeback, not at once")
    on_any_processor: bool = Field(description="Each writeback runs on a processor drawn at random")
    sync_ops: Count = Field(description="Operations between commits; 0: no bound")
    reuse_lag_fraction: Fraction = Field(
        description="Commit once this share of the planned free space was freed since the last commit; 0: no bound"
    )


class WayOfFileSystem(EventModel):
    """A row of the table."""

    type: Literal["way"]
    file_system: str = Field(description="Empty: all others")
    mount_options: str = Field(description="In addition to those of every aged file system")
    way: Way


WayRecord = Hello | WayOfFileSystem | CoreError

MODES = Command[WayRecord, WayOfFileSystem]("modes", WayRecord, WayOfFileSystem)
